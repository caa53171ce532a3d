import Foundation
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct PairTests {
  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `each step, and the error that ends it, is printed in one format`() throws {
    let folder = try TemporaryFolder()
    let daemon = try ScriptedDaemon()
    // The device is connected already, and has no heart-rate service.
    try daemon.order(
      #""do": "set", "path": "/org/bluez/hci0/dev_F0_0D_BE_A7_01_01", "interface": "org.bluez.Device1", "#
        + #""properties": {"Connected": true, "ServicesResolved": true}"#)
    let result = try Command.hrgate(
      "pair", ScriptedDaemon.strap, "--store", folder.path("s.sqlite"), environment: daemon.environment)
    #expect(result.status == 1 && result.output.isEmpty)
    let lines = result.errors.split(separator: "\n")
    #expect(
      lines.prefix(2) == [
        "hrgate: connecting to Strap, \(ScriptedDaemon.strap) …", "hrgate: reading its services …",
      ])
    #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("hrgate: ") }, "\(result.errors)")
  }
}
