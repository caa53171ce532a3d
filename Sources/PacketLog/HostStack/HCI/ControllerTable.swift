import Bluetooth

/// What a log says of the host's own controllers: under which address and name each is known to others.
struct ControllerTable: Sendable {
  private struct Controller {
    var publicAddress: BluetoothAddress?
    /// That it was given, where that is one which does not change.
    var staticAddress: BluetoothAddress?
    /// It advertises with an address that it was given.
    var isRandom = false
    var name: String?

    var address: BluetoothAddress? {
      isRandom ? staticAddress ?? publicAddress : publicAddress ?? staticAddress
    }
  }

  /// More than any host has; a hostile log claims any number.
  private static let capacity = 64

  private var controllers: [UInt16: Controller] = [:]

  /// As what the host's own server is known.
  func identity(of controller: UInt16) -> LocalServer.Identity {
    let known = controllers[controller]
    return LocalServer.Identity(key: UInt32(controller), address: known?.address, name: known?.name)
  }

  /// A controller appeared, where the record is as long as that of a new index: type, bus, address, name
  /// (BlueZ, doc/btsnoop-protocol.rst). The others are empty. The address is zero before it was asked for.
  ///
  /// - Returns: It is known to be another than the one that had this number.
  mutating func appear(_ controller: UInt16, _ record: RawSpan) -> Bool {
    guard let address = BluetoothAddress(littleEndian: record, at: 2, kind: .publicDevice), address.bits > 0
    else { return false }
    let before = controllers[controller]?.publicAddress
    let isOther = before.map { $0 != address } ?? false
    if isOther { controllers[controller] = nil }
    change(controller) { $0.publicAddress = address }
    return isOther
  }

  /// A command was carried out: the answer to HCI_Read_BD_ADDR (Core Specification, Vol 4, Part E, §7.4.6).
  mutating func complete(_ controller: UInt16, _ parameters: RawSpan) {
    guard parameters.uint16LE(at: 1) == HCICommandCode.readBDADDR, parameters.uint8(at: 3) == 0,
      let address = BluetoothAddress(littleEndian: parameters, at: 4, kind: .publicDevice), address.bits > 0
    else { return }
    change(controller) { $0.publicAddress = address }
  }

  /// What the host tells its controller to be known as (Vol 4, Part E, §7.8.4–7.8.8, §7.8.52–7.8.55).
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

  /// A private address is nobody's for long.
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
