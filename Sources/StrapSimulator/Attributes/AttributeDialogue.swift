import Bluetooth
import PacketLog

/// The requests and responses between a client and a strap before the first notification.
struct AttributeDialogue: Sendable {
  /// A request and the response to it.
  struct Exchange: Sendable {
    var request: [UInt8]
    var response: [UInt8]
    /// The value of a characteristic, if this response completes reading it.
    var value: (characteristic: BluetoothUUID, value: AttributeValue)?
  }

  private(set) var exchanges: [Exchange] = []
  private let database: AttributeDatabase

  /// Returns the exchanges of a first connection: the client sets the MTU, discovers all services and
  /// characteristics, reads all readable values, and enables notifications.
  static func discovery(of database: AttributeDatabase) -> AttributeDialogue {
    var dialogue = AttributeDialogue(database)
    let clientMTU: UInt16 = 517
    _ = dialogue.ask(AttributePDU.exchangeMTU(.exchangeMTURequest, clientMTU))
    dialogue.readAll(.readByGroupTypeRequest, .primaryService, in: 1...0xFFFF)
    for service in database.services {
      dialogue.readAll(.readByTypeRequest, .characteristicDeclaration, in: service)
    }
    for service in database.services { dialogue.findDescriptors(in: service) }
    for attribute in database.attributes
    where attribute.isReadable && !Self.declarations.contains(attribute.type) {
      dialogue.readValue(attribute)
    }
    dialogue.subscribe()
    return dialogue
  }

  /// Returns the exchanges of a later connection: the client already knows the handles and only enables
  /// notifications.
  static func reunion(with database: AttributeDatabase) -> AttributeDialogue {
    var dialogue = AttributeDialogue(database)
    dialogue.subscribe()
    return dialogue
  }

  private static let declarations: Set<BluetoothUUID> = [
    .primaryService, .characteristicDeclaration, .clientCharacteristicConfiguration,
  ]

  private init(_ database: AttributeDatabase) { self.database = database }

  private mutating func ask(_ request: [UInt8]) -> [UInt8] {
    let response = database.response(to: request)
    exchanges.append(Exchange(request: request, response: response))
    return response
  }

  /// Repeats a request for the handles that follow the last response, until there are no more attributes.
  private mutating func readAll(
    _ opcode: ATTOpcode, _ type: BluetoothUUID, in handles: ClosedRange<UInt16>
  ) {
    var first = handles.lowerBound
    while first <= handles.upperBound {
      let response = ask(AttributePDU.read(opcode, type, in: first...handles.upperBound))
      let bytes = response.span.bytes
      guard response.first != ATTOpcode.errorResponse.rawValue, let length = bytes.uint8(at: 1), length > 3
      else { return }
      // Continue after the last entry of the response. An entry begins with a handle. In Read By Group Type,
      // a second handle follows: the last one of the service.
      let lastEntry = response.count - Int(length)
      let place = opcode == .readByGroupTypeRequest ? lastEntry + 2 : lastEntry
      guard let last = bytes.uint16LE(at: place), last < 0xFFFF else { return }
      first = last + 1
    }
  }

  /// Discovers the descriptors of each characteristic: the attributes between its value and the declaration
  /// of the next characteristic.
  private mutating func findDescriptors(in service: ClosedRange<UInt16>) {
    let declared = database.attributes.filter {
      service.contains($0.handle) && $0.type == .characteristicDeclaration
    }.map(\.handle)
    for (index, declaration) in declared.enumerated() {
      let end = index + 1 < declared.count ? declared[index + 1] - 1 : service.upperBound
      guard declaration + 2 <= end else { continue }
      _ = ask(AttributePDU.findInformationRequest(declaration + 2...end))
    }
  }

  private mutating func readValue(_ attribute: AttributeDatabase.Attribute) {
    let capacity = Int(database.mtu) - 1
    var part = ask(AttributePDU.readRequest(attribute.handle)).dropFirst()
    var value = Array(part)
    // A response that fills its PDU may be truncated, so read the rest (Vol 3, Part G, §4.8.3).
    while part.count == capacity {
      part = ask(AttributePDU.readBlobRequest(attribute.handle, from: UInt16(value.count))).dropFirst()
      value += part
    }
    exchanges[exchanges.count - 1].value = (attribute.type, AttributeValue(value))
  }

  private mutating func subscribe() {
    guard let value = database.handle(of: .heartRateMeasurement) else { return }
    let notificationsOn: [UInt8] = [1, 0]
    _ = ask(AttributePDU.writeRequest(value + 1, notificationsOn))
  }
}
