/// PnP ID, 0x2A50 (Device Information Service 1.2, §3.9): vendor and product.
public struct PnPID: CharacteristicValue {
  public static let uuid = BluetoothUUID.pnpID

  /// The organization that assigned the vendor ID.
  public enum VendorIDSource: Hashable, Sendable {
    case bluetoothSIG
    case usbImplementersForum
    case reserved(UInt8)
  }

  /// The organization that assigned ``vendorID``.
  public var vendorIDSource: VendorIDSource
  /// The vendor, as assigned by the organization in ``vendorIDSource``.
  public var vendorID: UInt16
  /// The product, as assigned by the vendor.
  public var productID: UInt16
  /// The version JJ.M.N as binary-coded decimal `0xJJMN`.
  public var productVersion: UInt16

  public init(vendorIDSource: VendorIDSource, vendorID: UInt16, productID: UInt16, productVersion: UInt16) {
    self.vendorIDSource = vendorIDSource
    self.vendorID = vendorID
    self.productID = productID
    self.productVersion = productVersion
  }

  /// - Throws: ``GATTDecodingError`` for fewer than seven bytes.
  public init(decoding bytes: RawSpan) throws(GATTDecodingError) {
    guard let source = bytes.uint8(at: 0) else { throw GATTDecodingError(.empty, Self.uuid, bytes) }
    guard let vendor = bytes.uint16LE(at: 1), let product = bytes.uint16LE(at: 3),
      let version = bytes.uint16LE(at: 5)
    else { throw GATTDecodingError(.tooShort, Self.uuid, bytes) }
    self.init(
      vendorIDSource: VendorIDSource(source), vendorID: vendor, productID: product, productVersion: version)
  }

  public var encoded: AttributeValue {
    var writer = ByteWriter(capacity: 7)
    writer.append(vendorIDSource.byte)
    writer.appendLE(vendorID)
    writer.appendLE(productID)
    writer.appendLE(productVersion)
    return AttributeValue(writer.bytes)
  }
}

extension PnPID.VendorIDSource {
  init(_ byte: UInt8) {
    switch byte {
    case 1: self = .bluetoothSIG
    case 2: self = .usbImplementersForum
    default: self = .reserved(byte)
    }
  }

  var byte: UInt8 {
    switch self {
    case .bluetoothSIG: 1
    case .usbImplementersForum: 2
    case .reserved(let byte): byte
    }
  }
}
