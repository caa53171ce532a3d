import BlueZ
import Bluetooth
import Foundation
import HealthKit
import Testing

@testable import Gateway
@testable import TestSupport
@testable import hrgate

private let strap = BluetoothAddress(bits: 0xF00D_BEA7_0101, kind: .random)
private let other = BluetoothAddress(bits: 0xF00D_BEA7_0102, kind: .random)

/// Tests the notifications of `hrgate run` to systemd.
@Suite(.timeLimit(.minutes(30))) struct ServiceReportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["hrgate.service", "hrgate@.service"])
  func `a store that cannot be used stops the service from restarting`(unit: String) throws {
    let file = URL(filePath: #filePath).appending(path: "../../../systemd/\(unit)").standardized
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("\nRestartPreventExitStatus=2 \(CommandError.unusable)\n"))
  }

  @Test func `a user's name is an instance name if systemd would escape nothing in it`() {
    func unit(_ name: String) -> String? { UserAccount(name: name, home: "/", number: 1000).serviceUnit }
    for name in ["anna", "anna-maria", "a.b_c", "hr2", "2hr"] {
      #expect(unit(name) == "hrgate@\(name).service")
    }
    // No systemd unit can be named after these users. For example, systemd takes `User=1000` as a user ID and
    // not as a name.
    for name in [
      "", "-x", ".x", "a b", "DOMAIN\\anna", "a/b", "ann\u{E4}", "anna@example.org", "1000", "a\nb",
    ] {
      #expect(unit(name) == nil, "\(name)")
    }
  }

  /// A gateway as systemd would start it, on a machine without a bus.
  private func gateway(_ manager: DatagramReceiver, watchdog: Int = 0) throws -> Process {
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["run", "--wait", "--store", folder.path("s.sqlite")]
    process.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
      .merging(["NOTIFY_SOCKET": manager.place, "WATCHDOG_USEC": "\(watchdog)"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func end(_ process: Process) {
    process.terminate()
    process.waitUntilExit()
  }

  @Test func `a gateway reports ready, status, watchdog keep-alives and stopping`()
    async throws
  {
    let manager = try #require(DatagramReceiver(at: folder.path("notify")))
    let registry = try MonitorRegistry(at: .file(folder.path("s.sqlite")))
    try await registry.enrol(
      EnrolledMonitor(address: strap, name: "H10", isBonded: true, enrolled: SystemClocks.now().wall))
    let process = try gateway(manager, watchdog: 300_000)
    var heard: [String] = []
    #expect(
      await eventually {
        heard += manager.take()
        return heard.contains { $0.contains("1 bus-absent") } && heard.count { $0 == "WATCHDOG=1" } > 1
      })
    end(process)
    heard += manager.take()
    let assignments = heard.flatMap { $0.split(separator: "\n").map(String.init) }
    let others = assignments.filter { $0 != "WATCHDOG=1" }
    #expect(others.first == "READY=1" && others.contains("STOPPING=1"), "\(others)")
    #expect(others.contains("STATUS=1 monitor: 1 bus-absent"), "\(others)")
    #expect(!heard.joined().contains("H10"))
  }

  @Test func `a second gateway on a store waits, reports it once, and runs after the first has ended`()
    async throws
  {
    let managers = try ["first", "second"].map { try #require(DatagramReceiver(at: folder.path($0))) }
    let first = try gateway(managers[0])
    #expect(await eventually { managers[0].take().contains { $0.contains("READY=1") } })
    let second = try gateway(managers[1])
    var heard: [String] = []
    #expect(
      await eventually {
        heard += managers[1].take()
        return !heard.isEmpty
      })
    let waits =
      "waiting for another gateway on the store (process \(first.processIdentifier)) to end"
    #expect(heard == ["READY=1\nSTATUS=\(waits)"])
    end(first)
    #expect(
      await eventually {
        heard += managers[1].take()
        return heard.contains("STATUS=no monitor is paired")
      }, "\(heard)")
    #expect(heard.count { $0.contains("another gateway") } == 1)
    end(second)
    #expect(second.terminationStatus == 0)
  }

  @Test func `the summary has counts of states, but no names and no measurements`() {
    var state = GatewayState()
    func receive(_ event: GatewayEvent) {
      state.update(with: TimedGatewayEvent(emitted: .now(), event: event))
    }
    let enrolled = [strap, other].map {
      EnrolledMonitor(address: $0, name: "Anna's", isBonded: true, enrolled: SystemClocks.now().wall)
    }
    #expect(state.summary == "no monitor is paired")
    receive(.enrolled(enrolled))
    #expect(state.summary == "2 monitors")
    receive(.state(FollowStatus(monitor: strap, state: .following)))
    receive(.state(FollowStatus(monitor: other, state: .away)))
    receive(.measured([LiveMeasurement(monitor: strap, receiptTime: SystemClocks.now().wall, heartRate: 61)]))
    #expect(state.summary == "2 monitors: 1 away, 1 following")
    receive(.waiting(process: nil))
    #expect(state.summary == "waiting for another gateway on the store to end")
    receive(.enrolled(enrolled))
    #expect(state.summary == "2 monitors: 1 away, 1 following")
  }

  @Test func `a gateway that waits only for the owner's store reports the other stores`() {
    var state = GatewayState()
    func receive(_ event: GatewayEvent, of person: String? = nil) {
      state.update(with: TimedGatewayEvent(emitted: .now(), person: person, event: event))
    }
    receive(.waiting(process: nil))
    receive(
      .enrolled([EnrolledMonitor(address: strap, isBonded: true, enrolled: SystemClocks.now().wall)]),
      of: "Anna")
    receive(.state(FollowStatus(monitor: strap, state: .following)), of: "Anna")
    #expect(
      state.summary
        == "1 monitor: 1 following; waiting for another gateway on the store to end")
  }
}
