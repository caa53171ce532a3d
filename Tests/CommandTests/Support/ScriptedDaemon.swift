import Bluetooth
import Foundation
import Gateway
import HealthKit
import Testing

@testable import TestSupport

/// A scripted org.bluez on a private bus that knows one or two straps. It runs the script of the BlueZ tests.
struct ScriptedDaemon {
  static let strap = "F0:0D:BE:A7:01:01"
  static let otherStrap = "F0:0D:BE:A7:01:02"
  static let adapter = "00:1B:DC:0A:0B:01"

  private static func path(_ strap: String) -> String {
    "/org/bluez/hci0/dev_" + strap.replacing(":", with: "_")
  }

  private static func measurement(_ strap: String) -> String { path(strap) + "/service000e/char000f" }

  static var isInstalled: Bool { ScriptedBus.isInstalled }

  private let bus: ScriptedBus

  /// The environment with which a command uses this bus.
  var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": bus.address] }

  /// - Parameters:
  ///   - addressType: The address type of the adapter.
  ///   - straps: The addresses of the known straps.
  ///   - areHeard: Whether the straps advertise.
  ///   - arePaired: Whether bluetoothd has bonds with the straps.
  init(
    addressType: String = "public", straps: [String] = [strap], areHeard: Bool = false, arePaired: Bool = true
  ) throws {
    bus = try ScriptedBus(tree: Self.tree(addressType, straps, areHeard, arePaired))
    try #require(try wait(for: "\"ready\""))
  }

  /// Enrolls the strap in a store without pairing.
  static func enrolStrap(inStoreAt path: String) async throws {
    try await MonitorRegistry(at: .file(path)).enrol(
      EnrolledMonitor(
        address: try #require(BluetoothAddress(strap, kind: .random)), name: "Strap", isBonded: true,
        enrolled: ReceiptTime(microsecondsSince1970: 1)))
  }

  private static func tree(
    _ addressType: String, _ straps: [String], _ areHeard: Bool, _ arePaired: Bool
  ) -> String {
    let objects = straps.map { strap in
      #"""
      , "\#(path(strap))": {"org.bluez.Device1": {"Address": "\#(strap)",
        "AddressType": "random", "Adapter": "/org/bluez/hci0", "Name": "Strap", "Connected": false,\#(areHeard ? #" "RSSI": -60,"# : "")
        "ServicesResolved": false, "Paired": \#(arePaired), "Trusted": false,
        "UUIDs": ["0000180d-0000-1000-8000-00805f9b34fb"]}}
      """#
    }
    let services = straps.map { strap in
      #"""
      "\#(path(strap))": {
      "\#(path(strap))/service000e": {"org.bluez.GattService1": {
        "UUID": "0000180d-0000-1000-8000-00805f9b34fb", "Device": "\#(path(strap))"}},
      "\#(measurement(strap))": {"org.bluez.GattCharacteristic1": {
        "UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": "\#(path(strap))/service000e",
        "Notifying": false, "Flags": ["notify"], "Value": ""}}}
      """#
    }
    return #"""
      {"objects": {
        "/org/bluez/hci0": {"org.bluez.Adapter1": {"Address": "\#(adapter)", "AddressType": "\#(addressType)",
          "Discovering": false, "Powered": true}}\#(objects.joined())},
       "services": {\#(services.joined(separator: ", "))}}
      """#
  }

  /// Makes a strap send heart rates immediately one after another.
  func measure(_ rates: [UInt8], on strap: String = Self.strap) throws {
    let values = rates.map { #""00\#(String($0 / 16, radix: 16))\#(String($0 % 16, radix: 16))""# }
    try order(
      #""do": "notify", "path": "\#(Self.measurement(strap))", "values": [\#(values.joined(separator: ", "))]"#
    )
  }

  /// Makes a strap send heart rates with RR intervals in units of 1/1024 s.
  func measure(_ beats: [(rate: UInt8, ticks: [UInt16])], on strap: String = Self.strap) throws {
    func hexadecimal(_ byte: UInt8) -> String {
      String(byte / 16, radix: 16) + String(byte % 16, radix: 16)
    }
    let values = beats.map { rate, ticks in
      // Flags: RR intervals are present (Heart Rate Service, §3.1.1.1).
      let bytes: [UInt8] = [0x10, rate] + ticks.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
      return "\"\(bytes.map(hexadecimal).joined())\""
    }
    try order(
      #""do": "notify", "path": "\#(Self.measurement(strap))", "values": [\#(values.joined(separator: ", "))]"#
    )
  }

  /// Executes an order and waits until it is done.
  ///
  /// - Parameter order: The members of the JSON object without its braces.
  func order(_ order: String) throws {
    try bus.input.write(contentsOf: Data("{\"id\": 1, \(order)}\n".utf8))
    try #require(try wait(for: "\"done\""))
  }

  /// Reads until a line contains the text; returns false if the order failed or the output ended.
  private func wait(for text: String) throws -> Bool {
    var line = Data()
    while let byte = try bus.output.read(upToCount: 1), let first = byte.first {
      line.append(first)
      guard first == UInt8(ascii: "\n") else { continue }
      let event = String(decoding: line, as: UTF8.self)
      if event.contains(text) { return true }
      // The order failed, so no further line follows.
      if event.contains("\"failed\"") { return false }
      line.removeAll()
    }
    return false
  }
}
