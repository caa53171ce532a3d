import Testing

@testable import BlueZ
@testable import DBus
@testable import TestSupport

@Suite struct TreeEventTests {
  private static func signal(_ interface: String, _ member: String, _ body: [DBusValue]) -> BusMessage {
    BusMessage(
      sender: ":1.1", path: "/org/bluez/hci0", interface: interface, member: member, body: body,
      arrival: Arrival(order: 1, boottimeNanoseconds: 1))
  }

  private static let manager = BlueZInterface.objectManager
  private static let noInterfaces = DBusValue.dictionary(key: "s", value: "a{sv}", [:])

  @Test func `each signal of the object tree is decoded`() throws {
    let device = DBusValue.dictionary(
      key: "s", value: "a{sv}", [.string(BlueZInterface.device): .properties(["RSSI": .int16(-5)])])
    guard
      case .interfacesAdded("/a", let added)? = TreeEvent(
        Self.signal(Self.manager, "InterfacesAdded", [.objectPath("/a"), device]))
    else { throw NotReadError() }
    #expect(added == [BlueZInterface.device: ["RSSI": .int16(-5)]])
    guard
      case .interfacesRemoved("/a", let removed)? = TreeEvent(
        Self.signal(Self.manager, "InterfacesRemoved", [.objectPath("/a"), .strings(["x"])]))
    else { throw NotReadError() }
    #expect(removed == ["x"])
    guard
      case .propertiesChanged("/org/bluez/hci0", "i", let changed, let invalidated)? = TreeEvent(
        Self.signal(
          BlueZInterface.properties, "PropertiesChanged",
          [.string("i"), .properties(["A": .byte(1)]), .strings(["B"])]))
    else { throw NotReadError() }
    #expect(changed == ["A": .byte(1)])
    #expect(invalidated == ["B"])
  }

  @Test func `signals in another form are ignored`() {
    let bodies: [(String, String, [DBusValue])] = [
      (Self.manager, "InterfacesAdded", []),
      (Self.manager, "InterfacesAdded", [.objectPath("/a")]),
      (Self.manager, "InterfacesAdded", [.string("/a"), Self.noInterfaces]),
      (Self.manager, "InterfacesAdded", [.objectPath("/a"), .string("x")]),
      (Self.manager, "InterfacesAdded", [.objectPath("/a"), Self.noInterfaces, .byte(0)]),
      (Self.manager, "InterfacesRemoved", [.objectPath("/a")]),
      (Self.manager, "InterfacesRemoved", [.objectPath("/a"), .string("x")]),
      (Self.manager, "InterfacesRemoved", [.objectPath("/a"), .array(of: "u", [.uint32(1)])]),
      (BlueZInterface.properties, "PropertiesChanged", [.string("i"), .properties([:])]),
      (BlueZInterface.properties, "PropertiesChanged", [.byte(1), .properties([:]), .strings([])]),
      (BlueZInterface.properties, "PropertiesChanged", [.string("i"), .bytes([1]), .strings([])]),
      (
        BlueZInterface.properties, "PropertiesChanged",
        [.string("i"), .dictionary(key: "s", value: "s", [.string("a"): .string("b")]), .strings([])]
      ),
      (BlueZInterface.properties, "Other", [.string("i"), .properties([:]), .strings([])]),
      ("org.example", "InterfacesAdded", [.objectPath("/a"), Self.noInterfaces]),
    ]
    for (interface, member, body) in bodies {
      #expect(TreeEvent(Self.signal(interface, member, body)) == nil, "\(member) \(body)")
    }
  }

  @Test func `no message body crashes the program or the tree`() {
    var random = SeededGenerator(seed: 41)
    var tree = ObjectTree()
    let signals = [
      (Self.manager, "InterfacesAdded"), (Self.manager, "InterfacesRemoved"),
      (BlueZInterface.properties, "PropertiesChanged"),
    ]
    for _ in 0..<20_000 {
      guard let (interface, member) = signals.randomElement(using: &random) else { return }
      let body = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Self.anything(using: &random, depth: 3)
      }
      if let event = TreeEvent(Self.signal(interface, member, body)) { _ = tree.apply(event) }
    }
    _ = (tree.adapters, tree.devices, tree.devices.map { tree.characteristics(of: $0.path).count })
    #expect(!tree.objects.isEmpty)
  }

  private static func anything(using random: inout SeededGenerator, depth: Int) -> DBusValue {
    let names = [
      BlueZInterface.adapter, BlueZInterface.device, BlueZInterface.gattCharacteristic, "Address", "Adapter",
      "UUID", "Flags", "Value", "F0:0D:BE:A7:01:01", "",
    ]
    let name = names.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<(depth > 0 ? 12 : 7), using: &random) {
    case 0: return .byte(.random(in: 0...255, using: &random))
    case 1: return .string(name)
    case 2:
      return .objectPath(
        ["/org/bluez/hci0", "/", "/org/bluez/hci0/dev_1"].randomElement(using: &random) ?? "/")
    case 3: return .uint64(.max)
    case 4: return .strings([name])
    case 5: return .bytes([])
    case 6: return .boolean(.random(using: &random))
    case 7: return .variant(anything(using: &random, depth: depth - 1))
    case 8, 9: return .properties([name: anything(using: &random, depth: depth - 1)])
    case 10:
      return .dictionary(
        key: "s", value: "a{sv}",
        [.string(name): .properties(["Address": anything(using: &random, depth: depth - 1)])])
    default: return .structure([anything(using: &random, depth: depth - 1)])
    }
  }
}

private struct NotReadError: Error {}
