import Foundation
import Testing

@testable import TestSupport

/// An org.bluez on a private bus, which knows one strap: the script of the tests of BlueZ.
struct ScriptedDaemon {
  static let strap = "F0:0D:BE:A7:01:01"
  static let adapter = "00:1B:DC:0A:0B:01"
  private static let path = "/org/bluez/hci0/dev_F0_0D_BE_A7_01_01"
  private static let measurement = path + "/service000e/char000f"

  static var isInstalled: Bool { ScriptedBus.isInstalled }

  private let bus: ScriptedBus

  /// Where a command finds it.
  var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": bus.address] }

  /// - Parameter addressType: The adapter's.
  init(addressType: String = "public") throws {
    bus = try ScriptedBus(tree: Self.tree(addressType))
    try #require(try wait(for: "\"ready\""))
  }

  private static func tree(_ addressType: String) -> String {
    #"""
    {"objects": {
      "/org/bluez/hci0": {"org.bluez.Adapter1": {"Address": "\#(adapter)", "AddressType": "\#(addressType)",
        "Discovering": false, "Powered": true}},
      "\#(path)": {"org.bluez.Device1": {"Address": "\#(strap)",
        "AddressType": "random", "Adapter": "/org/bluez/hci0", "Name": "Strap", "Connected": false,
        "ServicesResolved": false, "Paired": true, "Trusted": false,
        "UUIDs": ["0000180d-0000-1000-8000-00805f9b34fb"]}}},
     "services": {"\#(path)": {
      "\#(path)/service000e": {"org.bluez.GattService1": {
        "UUID": "0000180d-0000-1000-8000-00805f9b34fb", "Device": "\#(path)"}},
      "\#(measurement)": {"org.bluez.GattCharacteristic1": {
        "UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": "\#(path)/service000e",
        "Notifying": false, "Flags": ["notify"], "Value": ""}}}}}
    """#
  }

  /// Has the strap measure heart rates, one right after the other.
  func measure(_ rates: [UInt8]) throws {
    let values = rates.map { #""00\#(String($0 / 16, radix: 16))\#(String($0 % 16, radix: 16))""# }
    try order(
      #""do": "notify", "path": "\#(Self.measurement)", "values": [\#(values.joined(separator: ", "))]"#)
  }

  /// Has it do something, and waits until it is done.
  ///
  /// - Parameter order: The members of the JSON object without its braces.
  func order(_ order: String) throws {
    try bus.input.write(contentsOf: Data("{\"id\": 1, \(order)}\n".utf8))
    try #require(try wait(for: "\"done\""))
  }

  /// Reads on until a line contains the text.
  private func wait(for text: String) throws -> Bool {
    var line = Data()
    while let byte = try bus.output.read(upToCount: 1), let first = byte.first {
      line.append(first)
      guard first == UInt8(ascii: "\n") else { continue }
      if String(decoding: line, as: UTF8.self).contains(text) { return true }
      line.removeAll()
    }
    return false
  }
}
