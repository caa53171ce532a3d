import Bluetooth
import HealthKit
import Testing

@testable import Gateway
@testable import Ingestion

/// Tests straps that deviate from the specification: what is stored, reported, and changed by declared
/// settings.
@Suite struct DeviatingStrapTests {
  private let strap = BluetoothAddress(bits: 0xF00D_BEA7_0801, kind: .random)
  private var peripheral: PeripheralIdentity { .address(strap) }

  private func time(_ seconds: Double) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + Int64(seconds * 1e6))
  }

  /// Returns the events of a link with one frame per second.
  private func link(_ seconds: Int, _ measurement: (Int) -> HeartRateMeasurement) -> [CentralEvent] {
    [.connected(peripheral, time(0))]
      + (2..<seconds).map { second in
        .notified(
          ValueNotification(
            peripheral: peripheral, characteristic: .heartRateMeasurement,
            value: measurement(second).encoded, receiptTime: time(Double(second))))
      } + [.disconnected(peripheral, time(Double(seconds)))]
  }

  /// Returns a frame for each second, with the intervals of 0.9 s that end in it. `unit` is the number of
  /// ticks per second.
  private func beats(unit: Double) -> (Int) -> HeartRateMeasurement {
    { second in
      let count = Int(Double(second) / 0.9) - Int(Double(second - 1) / 0.9)
      return HeartRateMeasurement(
        heartRate: 67, rrTicks: RRTicks(Array(repeating: UInt16(0.9 * unit), count: count)))
    }
  }

  private func replay(
    _ events: [CentralEvent], settings: MonitorSettings = MonitorSettings()
  ) async throws -> (tally: IngestionTally, monitor: MonitorTally, series: [Series]) {
    let store = try HKHealthStore.inMemory()
    let registry = try MonitorRegistry(store)
    try await registry.enrol(
      EnrolledMonitor(address: strap, name: "Strap", isBonded: false, enrolled: time(-100)))
    try await registry.declare(settings, of: strap)
    #expect(try await registry.monitor(strap)?.settings == settings)
    var pipeline = IngestionPipeline(store: store)
    let (tally, failure) = await pipeline.run(ListedCentral(batches: [events]))
    if let failure { throw failure }
    #expect(tally.isBalanced)
    var series: [Series] = []
    let samples = try await HKSampleQueryDescriptor(
      predicates: [.heartbeatSeries()], sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    for sample in samples {
      var beats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat] = []
      for try await beat in HKHeartbeatSeriesQueryDescriptor(sample).results(for: store) {
        beats.append(beat)
      }
      series.append(
        Series(
          start: sample.startDate.timeIntervalSince1970 - 1_800_000_000,
          offsets: beats.map(\.timeIntervalSinceStart), intervals: beats.count { !$0.precededByGap }))
    }
    return (tally, try #require(tally.monitors.first), series)
  }

  private struct Series {
    var start: Double
    var offsets: [Double]
    /// The number of RR intervals.
    var intervals: Int
    var end: Double { start + (offsets.last ?? 0) }
  }

  @Test(arguments: [[1225], [931, 925]] as [[UInt16]])
  func `repeated intervals are no RR intervals, and no series overlaps another or the start of the link`(
    intervals: [UInt16]
  ) async throws {
    let (tally, monitor, series) = try await replay(
      link(600) { _ in HeartRateMeasurement(heartRate: 66, rrTicks: RRTicks(intervals)) })
    #expect(monitor.surplusIntervals > 500)
    #expect(tally.anomalies["moreHeartbeatThanTime"] == monitor.surplusIntervals)
    #expect(tally.storedMeasurements == 598)
    #expect(series.reduce(0) { $0 + $1.intervals } <= 20)
    #expect(try #require(series.first).start >= 0)
    for (series, next) in zip(series, series.dropFirst()) { #expect(series.end <= next.start + 1e-5) }
    #expect(try #require(series.last).end <= 599.000_01)
  }

  @Test func `intervals in milliseconds are reported, and used correctly once they are declared`()
    async throws
  {
    let undeclared = try await replay(link(600, beats(unit: 1000)))
    let ratio = try #require(undeclared.monitor.intervalRatio)
    #expect(abs(ratio - 1000.0 / 1024) < 0.004)
    var settings = MonitorSettings()
    settings.intervalUnit = .milliseconds
    let declared = try await replay(link(600, beats(unit: 1000)), settings: settings)
    #expect(declared.monitor.intervalRatio == nil)
    for series in declared.series {
      #expect(series.offsets.enumerated().allSatisfy { abs($1 - Double($0) * 0.9) < 1e-9 })
    }
    for (series, next) in zip(declared.series, declared.series.dropFirst()) {
      #expect(abs(next.start - series.end) < 0.001)
    }
    let standard = try await replay(link(600, beats(unit: 1024)))
    #expect(standard.monitor.intervalRatio == nil && standard.monitor.surplusIntervals == 0)
    #expect(standard.tally.anomalies.isEmpty)
  }

  @Test func `no contact during a whole link is reported, and stored once it is declared`() async throws {
    let worn = { (second: Int) -> HeartRateMeasurement in
      HeartRateMeasurement(heartRate: 70, sensorContact: .notDetected, rrTicks: [878])
    }
    let undeclared = try await replay(link(32, worn))
    #expect(undeclared.tally.rejected == [.contactNotDetected: 30])
    #expect(undeclared.monitor.withoutContact == 30)
    var settings = MonitorSettings()
    settings.ignoresSensorContact = true
    let declared = try await replay(link(32, worn), settings: settings)
    #expect(declared.tally.storedMeasurements == 30 && declared.tally.rejected.isEmpty)
    #expect(declared.series.reduce(0) { $0 + $1.intervals } == 30)
  }

  @Test func `a strap that is not worn, or gets contact later, is not reported`() async throws {
    let unworn = try await replay(
      link(300) { _ in HeartRateMeasurement(heartRate: 70, sensorContact: .notDetected) })
    #expect(unworn.monitor.withoutContact == 0)
    let late = try await replay(
      link(300) { second in
        HeartRateMeasurement(
          heartRate: 70, sensorContact: second < 60 ? .notDetected : .detected, rrTicks: [878])
      })
    #expect(late.monitor.withoutContact == 0)
    let odd = try await replay(
      link(300) { _ in HeartRateMeasurement(heartRate: 180, sensorContact: .notDetected, rrTicks: [878]) })
    #expect(odd.monitor.withoutContact == 0)
  }
}
