import BlueZ
import Bluetooth
import Foundation
import HealthDataSync
import HealthKit
import HealthPage
import HealthSystem
import Testing

@testable import Gateway
@testable import Ingestion
@testable import TestSupport
@testable import hrgate

/// Tests the advice of a running gateway about a strap that deviates from the specification.
@Suite struct MonitorAdviceTests {
  private static let strap = BluetoothAddress(bits: 0xF00D_BEA7_0901, kind: .random)
  private static let begin = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

  private static func clocks(_ second: Int) -> SystemClocks {
    SystemClocks(
      boottimeNanoseconds: UInt64(second) * 1_000_000_000,
      wall: ReceiptTime(microsecondsSince1970: begin.microsecondsSince1970 + Int64(second) * 1_000_000))
  }

  /// A gateway that receives one frame per second and commits once a minute.
  private struct Run {
    var state = GatewayState()
    var intake = EventIntake()
    var second = 0
    let person: String?

    init(of person: String? = nil) {
      self.person = person
      let monitor = EnrolledMonitor(address: strap, name: "Strap", isBonded: true, enrolled: begin)
      send(.enrolled([monitor]))
      send(.state(FollowStatus(monitor: strap, state: .following)))
      receive(.connected(.address(strap), clocks(0).wall))
    }

    mutating func send(_ event: GatewayEvent) {
      state.update(with: TimedGatewayEvent(emitted: clocks(second), person: person, event: event))
    }

    private mutating func receive(_ event: CentralEvent) { _ = intake.receive([event].span) }

    /// - Returns: The advice after each commit.
    @discardableResult
    mutating func measure(
      minutes: Int, _ measurement: (Int) -> HeartRateMeasurement
    ) -> [String?] {
      (0..<minutes).map { _ in
        for _ in 0..<60 {
          second += 1
          receive(
            .notified(
              ValueNotification(
                peripheral: .address(strap), characteristic: .heartRateMeasurement,
                value: measurement(second).encoded, receiptTime: clocks(second).wall)))
        }
        send(.committed(CommitReport(tally: intake.summary, heldBack: 0)))
        return advice
      }
    }

    mutating func reconnect() {
      receive(.disconnected(.address(strap), clocks(second).wall))
      receive(.connected(.address(strap), clocks(second).wall))
    }

    var advice: String? { GatewayStatus(state).monitors.first?.advice }
  }

  /// Returns a frame for each second, with the intervals of 0.9 s that end in it. `unit` is the number of
  /// ticks per second.
  private static func beats(unit: Double) -> (Int) -> HeartRateMeasurement {
    { second in
      let count = Int(Double(second) / 0.9) - Int(Double(second - 1) / 0.9)
      return HeartRateMeasurement(
        heartRate: 67, sensorContact: .detected,
        rrTicks: RRTicks(Array(repeating: UInt16(0.9 * unit), count: count)))
    }
  }

  private static func frame(_ problem: MonitorProblem) -> (Int) -> HeartRateMeasurement {
    switch problem {
    case .intervalSum: beats(unit: 1000)
    case .repeatedIntervals:
      { _ in HeartRateMeasurement(heartRate: 66, sensorContact: .detected, rrTicks: [931, 925]) }
    case .noContact:
      { _ in HeartRateMeasurement(heartRate: 70, sensorContact: .notDetected, rrTicks: [878]) }
    }
  }

  @Test(arguments: [nil, "Anna M"])
  func `status, D-Bus, the page and the table show the same advice as run`(person: String?) throws {
    var run = Run(of: person)
    run.measure(minutes: 10, Self.beats(unit: 1000))
    let advice = try #require(run.advice)
    let command = "hrgate monitors set \(Self.strap) --interval-unit ms"
    #expect(advice.contains(person == nil ? "\(command);" : "\(command) --person 'Anna M';"), "\(advice)")
    let monitor = try #require(run.state.monitors.first)
    #expect(monitor.problemAdvice.map(\.text) == [advice])
    let status = GatewayStatus(run.state)
    let whole = StatusPerson.Part(status: status)
    #expect(StatusTable.lines(whole, now: 0).contains("  → \(advice)"))
    #expect(StatusLine(whole, now: 0).monitors.first?.advice == advice)
    let report = MonitorReport(
      [monitor.enrolled], isRunning: true, status: status, person: person, now: 0)
    let shown = try JSONLine.decode(ShownReport.self, from: Data(JSONLine.text(report).utf8))
    #expect(shown.monitors.first?.advice == advice)
    let table = RunTable(state: run.state, now: Self.clocks(run.second), options: .init())
      .lines(TerminalSize(rows: 40, columns: 100))
    let words = table.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    #expect(words.contains(command), "\(table)")
  }

  @Test func `the advice about the state is first, on a separate line`() {
    var run = Run()
    run.measure(minutes: 10, Self.frame(.noContact))
    run.send(.state(FollowStatus(monitor: Self.strap, state: .bondLost)))
    let lines = run.advice?.split(separator: "\n") ?? []
    #expect(lines.count == 2 && lines[0] == "Pair the monitor again: hrgate pair \(Self.strap)", "\(lines)")
    #expect(lines.last?.hasSuffix("--sensor-contact ignore") == true)
  }

  /// D-Bus signals each change of the text, so it must not change often.
  @Test(arguments: [MonitorProblem.intervalSum, .repeatedIntervals, .noContact])
  func `the advice is stable while the strap deviates, and disappears minutes after`(
    problem: MonitorProblem
  ) {
    var run = Run()
    let faulty = run.measure(minutes: 90, Self.frame(problem))
    #expect(faulty.first == .some(nil) || problem == .repeatedIntervals)
    #expect(faulty.dropFirst(8).allSatisfy { $0 != nil })
    #expect(Set(faulty.dropFirst(8)).count <= 3, "\(Set(faulty))")
    run.reconnect()
    let right = run.measure(minutes: 60, Self.beats(unit: 1024))
    #expect(right.first != .some(nil))
    #expect(right.dropFirst(16).allSatisfy { $0 == nil }, "\(right)")
    // The advice returns with the deviation.
    run.reconnect()
    let again = run.measure(minutes: 15, Self.frame(problem))
    #expect(again.last != .some(nil))
  }

  @Test func `a strap that follows the specification has no advice`() {
    var run = Run()
    #expect(run.measure(minutes: 60, Self.beats(unit: 1024)).allSatisfy { $0 == nil })
  }

  @Test func `a gateway that restarts its counts has the advice of the new run`() {
    var run = Run()
    run.measure(minutes: 20, Self.frame(.intervalSum))
    run.intake = EventIntake()
    #expect(run.measure(minutes: 2, Self.beats(unit: 1000)).allSatisfy { $0 == nil })
    #expect(run.measure(minutes: 6, Self.beats(unit: 1000)).last != .some(nil))
  }
}
