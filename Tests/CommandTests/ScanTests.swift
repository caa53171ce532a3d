import Foundation
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct ScanTests {
  /// Advertising monitors, one for each kind of address. The two top bits of a random address determine its
  /// kind.
  private static let heard = [
    (address: "F0:0D:BE:A7:02:01", type: "random", kind: "static", note: "heart rate"),
    (address: "7A:28:F8:40:02:02", type: "random", kind: "resolvable", note: "private address"),
    (
      address: "3A:28:F8:40:02:03", type: "random", kind: "nonResolvable",
      note: "private address, not resolvable"
    ),
    (address: "8A:28:F8:40:02:04", type: "random", kind: nil, note: "heart rate"),
    (address: "7A:28:F8:40:02:05", type: "public", kind: "public", note: "heart rate"),
  ]

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `private addresses are shown with a note`() throws {
    let folder = try TemporaryFolder()
    let daemon = try ScriptedDaemon()
    for (number, item) in Self.heard.enumerated() {
      try daemon.order(
        #""do": "add", "path": "/org/bluez/hci0/dev_\#(number)", "interfaces": {"org.bluez.Device1": "#
          + #"{"Address": "\#(item.address)", "AddressType": "\#(item.type)", "RSSI": -50, "#
          + #""Adapter": "/org/bluez/hci0", "Connected": false, "Paired": false, "#
          + #""UUIDs": ["0000180d-0000-1000-8000-00805f9b34fb"]}}"#)
    }
    func scan(_ arguments: String...) throws -> [String] {
      let arguments = ["--seconds", "1", "--store", folder.path("none")] + arguments
      let result = try Command.hrgate("scan", arguments, environment: daemon.environment)
      #expect(result.status == 0, "\(result.errors)")
      return result.output.split(separator: "\n").map(String.init)
    }
    let objects = try scan("--json").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let table = try scan()
    for item in Self.heard {
      let object = try #require(objects.first { $0["address"] as? String == item.address })
      #expect(object["addressType"] as? String == item.type)
      #expect(object["addressKind"] as? String == item.kind)
      let row = try #require(table.first { $0.contains(item.address) })
      #expect(row.hasSuffix(item.note), "\(row)")
    }
  }
}
