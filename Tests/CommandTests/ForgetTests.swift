import Bluetooth
import Foundation
import Gateway
import HealthKit
import Ingestion
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct ForgetTests {
  private let folder: TemporaryFolder
  private let path: String
  private let registry: MonitorRegistry

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    registry = try MonitorRegistry(at: .file(path))
    try await registry.enrol(
      EnrolledMonitor(
        address: try #require(BluetoothAddress(ScriptedDaemon.strap, kind: .random)), name: "Strap",
        isBonded: true, enrolled: ReceiptTime(microsecondsSince1970: 1)))
  }

  private func forget(_ monitor: String, _ environment: [String: String]) throws -> CommandResult {
    try Command.hrgate("forget", monitor, "--store", path, environment: environment)
  }

  @Test func `without bluetoothd the monitor is removed from the store, and the remaining step is printed`()
    async throws
  {
    let noBus = Command.withoutBus(folder)
    let first = try forget("strap", noBus)
    #expect(first.status == 0 && first.output.contains(ScriptedDaemon.strap))
    #expect(first.errors.contains("hrgate forget \(ScriptedDaemon.strap)"))
    #expect(try await registry.monitors().isEmpty)
    let second = try forget(ScriptedDaemon.strap, noBus)
    #expect(second.status == 1 && second.errors.contains(", and bluetoothd does not answer"))
    #expect(
      try forget("Strap", noBus).errors.contains("hrgate has no monitor Strap; list the monitors"))
  }

  @Test func `declared settings are removed with the monitor and printed`() async throws {
    let noBus = Command.withoutBus(folder)
    let set = ["monitors", "set", "Strap", "--store", path]
    #expect(try Command.hrgate(set + ["--interval-unit", "ms", "--sensor-contact", "ignore"]).status == 0)
    let forgotten = try forget("Strap", noBus)
    let sentence = "Its settings (--interval-unit ms --sensor-contact ignore) were removed too."
    #expect(forgotten.status == 0 && forgotten.errors.contains(sentence), "\(forgotten.errors)")
    try await ScriptedDaemon.enrolStrap(inStoreAt: path)
    #expect(try await registry.monitors().first?.settings == MonitorSettings())
    // The message does not mention settings if the monitor has only the standard settings.
    #expect(try !forget(ScriptedDaemon.strap, noBus).errors.contains("settings"))
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `a monitor that bluetoothd refuses to remove is removed by a second try`() async throws {
    let daemon = try ScriptedDaemon()
    try daemon.order(
      #""do": "reply", "method": "RemoveDevice", "error": "org.bluez.Error.Failed", "plain": true"#)
    let first = try forget("Strap", daemon.environment)
    #expect(first.status == 1 && first.output.isEmpty)
    #expect(first.errors.contains("was removed from hrgate, but bluetoothd still has its bond"))
    #expect(try await registry.monitors().isEmpty)
    let second = try forget(ScriptedDaemon.strap.lowercased(), daemon.environment)
    #expect(second.status == 0 && second.output == "removed from bluetoothd: \(ScriptedDaemon.strap)\n")
    let third = try forget(ScriptedDaemon.strap, daemon.environment)
    #expect(third.status == 1 && third.errors.contains("neither hrgate nor bluetoothd has a monitor"))
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `a monitor acquired by another program is not removed, even with --for-all`() async throws {
    let daemon = try ScriptedDaemon()
    let measurement =
      "/org/bluez/hci0/dev_\(ScriptedDaemon.strap.replacing(":", with: "_"))/service000e/char000f"
    try daemon.order(
      #""do": "add", "path": "\#(measurement)", "interfaces": {"org.bluez.GattCharacteristic1": {"NotifyAcquired": true}}"#
    )
    for _ in 0..<2 {
      let refused = try Command.hrgate(
        "forget", ScriptedDaemon.strap, "--for-all", "--store", path, environment: daemon.environment)
      #expect(refused.status == 1 && refused.output.isEmpty)
      #expect(
        refused.errors.contains("Another program has acquired the notifications of \(ScriptedDaemon.strap)"))
      #expect(refused.errors.contains("systemctl restart bluetooth"), "\(refused.errors)")
    }
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled), arguments: ["public", "random"])
  func `an adapter is found by its address of either type`(addressType: String) throws {
    let daemon = try ScriptedDaemon(addressType: addressType)
    let scan = try Command.hrgate(
      "scan", "--seconds", "1", "--all", "--json", "--adapter", ScriptedDaemon.adapter, "--store", path,
      environment: daemon.environment)
    #expect(scan.status == 0, "\(scan.errors)")
    let other = try Command.hrgate(
      "scan", "--seconds", "1", "--adapter", "00:1B:DC:0A:0B:02", environment: daemon.environment)
    #expect(other.status == 1 && other.errors.contains("There is no Bluetooth adapter 00:1B:DC:0A:0B:02"))
  }
}
