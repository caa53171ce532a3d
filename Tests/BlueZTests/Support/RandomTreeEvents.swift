import DBus

@testable import BlueZ
@testable import TestSupport

/// Generates random events about a few objects, plausible ones and others.
struct RandomTreeEvents {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let paths: [ObjectPath] = [
    "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci1", "/org/bluez/hci0/dev_1", "/org/bluez/hci0/dev_2",
    "/org/bluez/hci1/dev_1", "/org/bluez/hci0/dev_1/service1", "/org/bluez/hci0/dev_1/service1/char2",
    "/org/bluez/hci0/dev_1/service1/char2/desc3", "/org/bluez/hci1/dev_1/service1",
  ]
  private static let interfaces = [
    BlueZInterface.adapter, BlueZInterface.device, BlueZInterface.gattService,
    BlueZInterface.gattCharacteristic, BlueZInterface.battery,
  ]

  mutating func next() -> TreeEvent {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: .snapshot(snapshot())
    case 1: .daemonVanished
    case 2..<9: .interfacesAdded(path(), someInterfaces())
    case 9..<13: .interfacesRemoved(path(), Array(someInterfaces().keys))
    default:
      .propertiesChanged(
        path(), interface: interface(), changed: properties(),
        invalidated: Bool.random(using: &random) ? ["A"] : [])
    }
  }

  mutating func snapshot() -> [ObjectPath: [String: Properties]] {
    var objects: [ObjectPath: [String: Properties]] = [:]
    for path in Self.paths where Bool.random(using: &random) { objects[path] = someInterfaces() }
    return objects
  }

  private mutating func path() -> ObjectPath { Self.paths.randomElement(using: &random) ?? "/" }
  private mutating func interface() -> String { Self.interfaces.randomElement(using: &random) ?? "" }

  private mutating func someInterfaces() -> [String: Properties] {
    var some = [interface(): properties()]
    if Bool.random(using: &random) { some[interface()] = properties() }
    return some
  }

  private mutating func properties() -> Properties {
    var properties: Properties = [:]
    for name in ["A", "B", "Value"] where Bool.random(using: &random) {
      properties[name] = Bool.random(using: &random) ? .byte(.random(in: 0...3, using: &random)) : .bytes([1])
    }
    return properties
  }
}
