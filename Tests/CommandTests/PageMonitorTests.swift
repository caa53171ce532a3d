import Bluetooth
import Foundation
import Gateway
import HealthDataSync
import HealthPage
import HealthSystem
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests the monitors that the page shows.
@Suite struct PageMonitorTests {
  private func monitor(_ address: String) throws -> EnrolledMonitor {
    var monitor = EnrolledMonitor(
      address: try #require(BluetoothAddress(address, kind: .random)), name: "Strap", isBonded: true,
      enrolled: ReceiptTime(microsecondsSince1970: 1_000_000))
    monitor.battery = 80
    return monitor
  }

  private func status(_ address: String, person: String? = nil) -> GatewayStatus {
    var live = MonitorStatus(address: address)
    (live.state, live.heartRate, live.measuredAt) = ("following", 61, 5_000_000)
    (live.battery, live.person) = (70, person)
    var status = GatewayStatus()
    status.monitors = [live]
    return status
  }

  /// Returns a report as the browser gets it.
  private func read(
    _ enrolled: [EnrolledMonitor], isRunning: Bool, status: GatewayStatus?, person: String?, now: UInt64
  ) throws -> ShownReport {
    let report = MonitorReport(enrolled, isRunning: isRunning, status: status, person: person, now: now)
    return try JSONLine.decode(ShownReport.self, from: Data(JSONLine.text(report).utf8))
  }

  @Test func `the gateway's values override the stored ones and have an age`() throws {
    let address = "C0:FF:EE:00:00:01"
    let report = try read(
      [try monitor(address)], isRunning: true, status: status(address), person: nil, now: 7_500_000)
    let shown = try #require(report.monitors.first)
    #expect(
      shown.heartRate == 61 && shown.time == Date(timeIntervalSince1970: 5) && shown.age == 2.5
        && shown.battery == 70)
    #expect(shown.state == "following" && shown.source == "org.hrgate.monitor.\(address)")
    #expect(report.gateway.isRunning && report.gateway.onBus)
  }

  @Test func `without a gateway there is no heart rate and no state`() throws {
    let report = try read(
      [try monitor("C0:FF:EE:00:00:01")], isRunning: false, status: nil, person: nil, now: 7_500_000)
    let shown = try #require(report.monitors.first)
    #expect(shown.heartRate == nil && shown.age == nil && shown.state == nil && shown.battery == 80)
    #expect(shown.enrolled == Date(timeIntervalSince1970: 1) && shown.bonded && !report.gateway.onBus)
  }

  @Test func `another person's heart rate is not shown, even if the strap has the same address`() throws {
    let address = "C0:FF:EE:00:00:01"
    let report = try read(
      [try monitor(address)], isRunning: true, status: status(address, person: "anna"), person: nil,
      now: 7_500_000)
    #expect(report.monitors.first?.heartRate == nil)
  }

  @Test func `the last intervals have their total count and their receipt time`() throws {
    let address = "C0:FF:EE:00:00:01"
    var status = status(address)
    let none = try read(
      [try monitor(address)], isRunning: true, status: status, person: nil, now: 7_500_000)
    #expect(none.monitors.first?.beats == nil)
    (status.monitors[0].intervals, status.monitors[0].beats) = ([0.8125, 1], 40)
    status.monitors[0].beatAt = 5_000_500
    let report = try read(
      [try monitor(address)], isRunning: true, status: status, person: nil, now: 7_500_000)
    #expect(
      report.monitors.first?.beats
        == .init(count: 40, time: Date(timeIntervalSince1970: 5.0005), rr: [812.5, 1000]))
  }

  @Test func `gaps have a cause for programs and a text for users`() async throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "600s", "--seed", "3", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", folder.path("s.sqlite"))
    let system = try SystemStore(at: folder.path("s.sqlite"))
    let all = DateInterval(start: .distantPast, end: .distantFuture)
    let gaps = try await PageMonitors(StatusStore()).gaps(system, all)
    let printed = try Command.hrgate("monitors", "gaps", "--json", "--store", folder.path("s.sqlite"))
      .objects()
    #expect(gaps.map(\.cause) == printed.compactMap { $0["cause"] as? String })
    #expect(gaps.allSatisfy { $0.text?.isEmpty == false && $0.text != $0.cause })
  }
}
