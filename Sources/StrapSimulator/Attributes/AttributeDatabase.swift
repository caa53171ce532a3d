import Bluetooth

/// The attributes of a GATT server, ordered by handle (Core Specification, Vol 3, Part G, §2.5–2.6).
struct AttributeDatabase: Sendable {
  struct Attribute: Sendable {
    var handle: UInt16
    var type: BluetoothUUID
    var value: [UInt8]
    var isReadable = true
  }

  /// The properties of a characteristic (Vol 3, Part G, §3.3.1.1).
  struct Properties: OptionSet {
    let rawValue: UInt8
    static let read = Properties(rawValue: 0x02)
    static let write = Properties(rawValue: 0x08)
    static let notify = Properties(rawValue: 0x10)
  }

  private(set) var attributes: [Attribute] = []
  /// The range of handles of each service, in ascending order.
  private(set) var services: [ClosedRange<UInt16>] = []
  let mtu: UInt16

  init(mtu: UInt16) { self.mtu = mtu }

  private var nextHandle: UInt16 { UInt16(attributes.count + 1) }

  mutating func addService(_ uuid: BluetoothUUID) {
    var value = ByteWriter()
    value.append(uuid)
    services.append(nextHandle...nextHandle)
    attributes.append(Attribute(handle: nextHandle, type: .primaryService, value: value.bytes))
  }

  /// Adds a characteristic to the last service. If it can notify, it gets a Client Characteristic
  /// Configuration too.
  mutating func addCharacteristic(_ uuid: BluetoothUUID, _ properties: Properties, _ value: [UInt8] = []) {
    var declaration = ByteWriter()
    declaration.append(properties.rawValue)
    declaration.appendLE(nextHandle + 1)
    declaration.append(uuid)
    attributes.append(
      Attribute(handle: nextHandle, type: .characteristicDeclaration, value: declaration.bytes))
    attributes.append(
      Attribute(handle: nextHandle, type: uuid, value: value, isReadable: properties.contains(.read)))
    if properties.contains(.notify) {
      attributes.append(
        Attribute(handle: nextHandle, type: .clientCharacteristicConfiguration, value: [0, 0]))
    }
    if let service = services.popLast() { services.append(service.lowerBound...(nextHandle - 1)) }
  }

  /// Returns the handle of the first attribute with this type.
  func handle(of type: BluetoothUUID) -> UInt16? { attributes.first { $0.type == type }?.handle }
}
