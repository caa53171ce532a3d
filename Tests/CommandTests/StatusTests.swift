import Bluetooth
import Foundation
import Gateway
import HealthKit
import Testing

@testable import TestSupport

/// Tests `hrgate status` with a running gateway.
@Suite(.timeLimit(.minutes(30))) struct StatusTests {
  @Test func `without a gateway it fails, and says what runs one`() throws {
    let folder = try TemporaryFolder()
    var environment = Command.withoutBus(folder)
    environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder.path("none"))"
    let result = try Command.hrgate("status", [], environment: environment)
    #expect(result.status == 1 && result.errors.contains("Start it with: hrgate run"), "\(result)")
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `status shows monitors, heart rate and counters, and the gateway's end`() async throws {
    let folder = try TemporaryFolder()
    let daemon = try ScriptedDaemon()
    let store = folder.path("s.sqlite")
    var environment = daemon.environment
    environment["DBUS_SESSION_BUS_ADDRESS"] = environment["DBUS_SYSTEM_BUS_ADDRESS"]
    try await MonitorRegistry(at: .file(store)).enrol(
      EnrolledMonitor(
        address: try #require(BluetoothAddress(ScriptedDaemon.strap, kind: .random)), name: "Strap",
        isBonded: true, enrolled: SystemClocks.now().wall))
    let gateway = Process()
    gateway.executableURL = Command.hrgate
    gateway.arguments = ["run", "--store", store, "--commit-interval", "0.05"]
    gateway.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    gateway.standardOutput = FileHandle.nullDevice
    try gateway.run()
    func status() throws -> [String: Any] {
      try Command.hrgate("status", ["--json"], environment: environment).objects().first ?? [:]
    }
    func monitor() throws -> [String: Any]? { (try status()["monitors"] as? [[String: Any]])?.first }
    let subscribed: Set = ["following", "silent"]
    #expect(
      try await eventually { try subscribed.contains(monitor()?["state"] as? String ?? "") })
    // Let the strap send until the status has a stored value. On a busy machine, a strap that sends once may
    // count as silent before the status is read.
    #expect(
      try await eventually {
        try daemon.measure([61, 62])
        return try status()["stored"] as? Int ?? 0 > 0
      })
    let whole = try status()
    let counts = ["stored", "duplicates", "rejected", "waiting"].map { whole[$0] as? Int ?? 0 }
    #expect(whole["measurements"] as? Int == counts.reduce(0, +), "\(whole)")
    let last = try #require(try monitor())
    #expect(last["heartRate"] as? Int == 62 && last["address"] as? String == ScriptedDaemon.strap, "\(last)")
    #expect(last["age"] as? Double ?? -1 >= 0 && last["measurements"] as? Int ?? 0 > 0)
    let text = try Command.hrgate("status", [], environment: environment).lines
    #expect(text.first?.hasPrefix("1 monitor: 1 ") == true, "\(text)")
    #expect(text.contains { $0.contains("62/min") }, "\(text)")
    let watch = Process()
    watch.executableURL = Command.hrgate
    watch.arguments = ["status", "--watch", "--json"]
    watch.environment = gateway.environment
    let watched = folder.path("watched")
    #expect(FileManager.default.createFile(atPath: watched, contents: nil))
    watch.standardOutput = FileHandle(forWritingAtPath: watched)
    try watch.run()
    #expect(try await eventually { try !String(contentsOfFile: watched, encoding: .utf8).isEmpty })
    gateway.terminate()
    gateway.waitUntilExit()
    watch.waitUntilExit()
    let lastWord = try String(contentsOfFile: watched, encoding: .utf8).split(separator: "\n").last
    #expect(lastWord?.contains(#""summary":"ended""#) == true, "\(lastWord ?? "")")
    #expect(try Command.hrgate("status", [], environment: environment).status == 1)
  }
}
