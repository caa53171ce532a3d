import Bluetooth

/// The addresses and names of the recording host's controllers, as far as the log contains them.
struct ControllerTable: Sendable {
  private struct Controller {
    var publicAddress: BluetoothAddress?
    /// The static random address that the host set, if any.
    var staticAddress: BluetoothAddress?
    /// Whether the controller advertises with a random address.
    var isRandom = false
    var name: String?

    var address: BluetoothAddress? {
      isRandom ? staticAddress ?? publicAddress : publicAddress ?? staticAddress
    }
  }

  /// Maximum number of controllers. No host has this many, but a manipulated log could claim any number.
  private static let capacity = 64

  private var controllers: [UInt16: Controller] = [:]

  /// Returns the identity of the recording host's own server on a controller.
  func identity(of controller: UInt16) -> LocalServer.Identity {
    let known = controllers[controller]
    return LocalServer.Identity(key: UInt32(controller), address: known?.address, name: known?.name)
  }

  /// Handles a record (New Index) about a new controller: type, bus, address, name (BlueZ,
  /// doc/btsnoop-protocol.rst).
  ///
  /// Records of other types are empty. The address is zero until the kernel has read it.
  ///
  /// - Returns: Whether this controller differs from the previous one with this number.
  mutating func appear(_ controller: UInt16, _ record: RawSpan) -> Bool {
    guard let address = BluetoothAddress(littleEndian: record, at: 2, kind: .publicDevice), address.bits > 0
    else { return false }
    let before = controllers[controller]?.publicAddress
    let isOther = before.map { $0 != address } ?? false
    if isOther { controllers[controller] = nil }
    change(controller) { $0.publicAddress = address }
    return isOther
  }

  /// Handles HCI_Command_Complete of HCI_Read_BD_ADDR (Core Specification, Vol 4, Part E, §7.4.6).
  mutating func complete(_ controller: UInt16, _ parameters: RawSpan) {
    guard parameters.uint16LE(at: 1) == HCICommandCode.readBDADDR, parameters.uint8(at: 3) == 0,
      let address = BluetoothAddress(littleEndian: parameters, at: 4, kind: .publicDevice), address.bits > 0
    else { return }
    change(controller) { $0.publicAddress = address }
  }

  /// Handles commands that set addresses, names, and advertising (Vol 4, Part E, §7.8.4–7.8.8,
  /// §7.8.52–7.8.55).
  mutating func command(_ controller: UInt16, _ packet: RawSpan) {
    let start = 3
    switch packet.uint16LE(at: 0) {
    case HCICommandCode.reset:
      change(controller) {
        $0.staticAddress = nil
        $0.isRandom = false
        $0.name = nil
      }
    case HCICommandCode.leSetRandomAddress: give(controller, packet, at: start)
    case HCICommandCode.leSetAdvertisingSetRandomAddress: give(controller, packet, at: start + 1)
    case HCICommandCode.leSetAdvertisingParameters: advertise(controller, packet, ownAddressType: start + 5)
    case HCICommandCode.leSetExtendedAdvertisingParameters:
      advertise(controller, packet, ownAddressType: start + 10)
    case HCICommandCode.leSetAdvertisingData, HCICommandCode.leSetScanResponseData:
      name(controller, packet, length: start)
    case HCICommandCode.leSetExtendedAdvertisingData, HCICommandCode.leSetExtendedScanResponseData:
      name(controller, packet, length: start + 3)
    default: break
    }
  }

  /// Records a random address if it is static. Private addresses are ignored, because they change.
  private mutating func give(_ controller: UInt16, _ packet: RawSpan, at offset: Int) {
    guard let address = BluetoothAddress(littleEndian: packet, at: offset, kind: .random),
      address.bits >> 46 == 0b11
    else { return }
    change(controller) { $0.staticAddress = address }
  }

  private mutating func advertise(_ controller: UInt16, _ packet: RawSpan, ownAddressType: Int) {
    guard let type = packet.uint8(at: ownAddressType) else { return }
    change(controller) { $0.isRandom = type & 1 == 1 }
  }

  private mutating func name(_ controller: UInt16, _ packet: RawSpan, length: Int) {
    guard let count = packet.uint8(at: length), packet.byteCount > length,
      let name = AdvertisingReports.localName(
        in: packet.extracting(droppingFirst: length + 1).extracting(first: Int(count)))
    else { return }
    change(controller) { $0.name = name }
  }

  private mutating func change(_ controller: UInt16, _ change: (inout Controller) -> Void) {
    guard controllers[controller] != nil || controllers.count < Self.capacity else { return }
    change(&controllers[controller, default: Controller()])
  }
}
