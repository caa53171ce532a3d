import CDBus
import Testing

@testable import DBus
@testable import TestSupport

@Suite struct ChangedBytesTests {
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let characteristic = "org.bluez.GattCharacteristic1"

  /// Returns the same bytes as `IncomingMessage.changedBytes`, but extracts them from the converted message.
  private static func changedBytes(_ signal: BusMessage) -> [UInt8]? {
    guard signal.interface == properties, signal.body.count == 3, signal.body[0] == .string(characteristic),
      case .dictionary("s", "v", let changed) = signal.body[1], changed.count == 1,
      signal.body[2] == .strings([]), case .variant(.bytes(let bytes))? = changed[.string("Value")]
    else { return nil }
    return bytes
  }

  private static func body(_ random: inout RandomValue<SeededGenerator>) -> [DBusValue] {
    var body: [DBusValue] = [
      .string(characteristic), .properties(["Value": .bytes([0x10, 72, 3])]), .strings([]),
    ]
    func odds(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random.generator) == 0 }
    if odds(2) {
      let values: [DBusValue] = [
        .bytes([]), .bytes([1]), .variant(.bytes([2])), .strings(["x"]), .array(of: "ay", [.bytes([3])]),
        .properties(["Value": .bytes([4])]), random.value(of: random.type(depth: 3), depth: 3),
      ]
      let value = values.randomElement(using: &random.generator) ?? .byte(0)
      body[1] = .properties([odds(4) ? "Valu" : "Value": value])
    }
    if odds(6) { body[1] = .properties(["Value": .bytes([5]), "Notifying": .boolean(true)]) }
    if odds(8) { body[1] = .properties([:]) }
    if odds(8) { body[0] = .string(odds(2) ? "org.bluez.GattDescriptor1" : characteristic + "2") }
    if odds(8) { body[2] = .strings(["Value"]) }
    if odds(12) { body.append(.byte(1)) }
    if odds(12) { body = random.body() }
    return body
  }

  @Test func `bytes that are read directly equal those in the converted body`() throws {
    var random = RandomValue(generator: SeededGenerator(seed: 37))
    var direct = 0
    let count = 4000
    for number in 0..<count {
      let interface = Int.random(in: 0..<10, using: &random.generator) == 0 ? "a.b" : Self.properties
      let outgoing = try OutgoingMessage(
        signal: "PropertiesChanged", of: interface, at: "/a", body: Self.body(&random))
      let message = IncomingMessage(owned: try #require(dbus_message_ref(outgoing.raw)))
      let signal = try message.converted(
        interface: message.interface, Arrival(order: 0, boottimeNanoseconds: 0))
      let bytes = message.changedBytes(of: Self.characteristic, "Value")
      #expect(bytes == Self.changedBytes(signal), "message \(number): \(signal.body)")
      if bytes != nil { direct += 1 }
    }
    #expect(direct > count / 10 && direct < count / 2)
  }
}
