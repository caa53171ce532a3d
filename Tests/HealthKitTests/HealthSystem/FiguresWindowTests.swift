import Foundation
import HealthKit
import Testing

@testable import HealthSystem
@testable import TestSupport

/// Tests that the statistics of a time range equal those of a statistics interval with the same bounds.
@Suite struct FiguresWindowTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: HKHealthStore

  init() throws { store = try HKHealthStore.inMemory() }

  private func save(
    _ identifier: HKQuantityTypeIdentifier, _ unit: String, _ values: [(from: Double, to: Double, Double)]
  ) async throws {
    try await store.save(
      values.map { from, to, value in
        HKQuantitySample(
          type: HKQuantityType(identifier),
          quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value), start: Self.start + from,
          end: Self.start + to)
      })
  }

  private func figures(
    _ identifier: HKQuantityTypeIdentifier, _ from: Double?, _ to: Double?
  ) async throws -> WindowStatistics? {
    let type = HKQuantityType(identifier)
    let window = FiguresWindow(
      from: from.map { Self.start + $0 }, to: to.map { Self.start + $0 }, sources: nil)
    return try await store.statistics(of: type, in: window, type.statisticsOptions)
  }

  /// Returns the sum, the number of samples that begin in the range, and the range of their times.
  private func energy(_ from: Double?, _ to: Double?) async throws -> [Double]? {
    try await figures(.activeEnergyBurned, from, to).map {
      [
        $0.statistics.sumQuantity()?.doubleValue(for: .jouleUnit(with: .kilo)) ?? 0,
        Double($0.statistics.sampleCount), $0.start.timeIntervalSince(Self.start),
        $0.end.timeIntervalSince(Self.start),
      ]
    }
  }

  /// Returns for each interval: its range, its sum or average, and the number of samples that begin in it.
  private func bars(
    _ identifier: HKQuantityTypeIdentifier, _ unit: String, _ from: Double?, _ to: Double?, every seconds: Int
  ) async throws -> [[Double]] {
    let type = HKQuantityType(identifier)
    let window = FiguresWindow(
      from: from.map { Self.start + $0 }, to: to.map { Self.start + $0 }, sources: nil)
    return try await store.statistics(
      of: type, in: window, type.statisticsOptions, from: Self.start, every: DateComponents(second: seconds)
    ).map { bar in
      let figure = bar.statistics.sumQuantity() ?? bar.statistics.averageQuantity()
      return [
        bar.start.timeIntervalSince(Self.start), bar.end.timeIntervalSince(Self.start),
        try #require(figure).doubleValue(for: HKUnit(from: unit)), Double(bar.statistics.sampleCount),
      ]
    }
  }

  private func bars(_ from: Double?, _ to: Double?) async throws -> [[Double]] {
    try await bars(.activeEnergyBurned, "kJ", from, to, every: 60)
  }

  @Test func `a sample that crosses a bound counts with its part inside`() async throws {
    try await save(.activeEnergyBurned, "kJ", [(0, 100, 100), (100, 140, 10), (300, 400, 50)])
    #expect(try await energy(nil, nil) == [160, 3, 0, 400])
    #expect(try await energy(25, nil) == [135, 2, 25, 400])
    #expect(try await energy(nil, 350) == [135, 3, 0, 350])
    #expect(try await energy(25, 75) == [50, 0, 25, 75])
    #expect(try await energy(25, 350) == [110, 2, 25, 350])
    // A sample that ends at the start of the range, or begins at its end, does not count.
    #expect(try await energy(100, 300) == [10, 1, 100, 140])
    #expect(try await energy(140, 300) == nil)
    #expect(try await energy(500, 600) == nil)
  }

  @Test(arguments: [0.0, 50, 100, 500])
  func `an empty range has no samples`(time: Double) async throws {
    try await save(.activeEnergyBurned, "kJ", [(0, 100, 100)])
    #expect(try await energy(time, time) == nil)
    try await save(
      .heartRate, "count/min", [(time - 1, time - 1, 60), (time, time, 70), (time + 1, time + 1, 80)])
    #expect(try await figures(.heartRate, time, time)?.statistics.sampleCount == nil)
  }

  @Test func `an instant counts for its hold time, also across a bound`() async throws {
    // The rate of 60 counts for one second, and the rate of 120 for four, although the range ends before.
    try await save(.heartRate, "count/min", [(0, 0, 60), (1, 1, 120), (5, 5, 90), (6, 6, 90)])
    let found = try #require(try await figures(.heartRate, 0, 3))
    let average = found.statistics.averageQuantity()?.doubleValue(for: HKUnit(from: "count/min"))
    #expect(average == (60 + 4 * 120) / 5 && found.statistics.sampleCount == 2)
  }

  @Test func `the first instant of a range uses the previous one as its neighbor`() async throws {
    // Because of the sample before the range, the rate of 120 counts for one second. Otherwise it would count
    // for five, as 90 does.
    try await save(.heartRate, "count/min", [(5, 5, 60), (6, 6, 120), (20, 20, 90)])
    let found = try #require(try await figures(.heartRate, 6, 60))
    #expect(found.statistics.sampleCount == 2 && found.start == Self.start + 6)
    #expect(found.statistics.averageQuantity()?.doubleValue(for: HKUnit(from: "count/min")) == 95)
    let bars = try await bars(.heartRate, "count/min", 6, 60, every: 60)
    #expect(bars == [[0, 60, 95, 2]])
  }

  @Test func `a sound level also counts for its hold time across a bound`() async throws {
    try await save(.environmentalSoundReduction, "dBASPL", [(0, 0, 60), (1, 1, 80), (5, 5, 90)])
    let found = try #require(try await figures(.environmentalSoundReduction, 0, 3))
    let level = try #require(
      found.statistics.averageQuantity()?.doubleValue(for: HKUnit(from: "dBASPL")))
    #expect(abs(level - 10 * log10((1e6 + 4 * 1e8) / 5)) < 1e-9)
  }

  @Test func `intervals have the samples within them, and there are none outside`() async throws {
    try await save(.activeEnergyBurned, "kJ", [(0, 100, 100), (100, 140, 10), (300, 400, 50)])
    #expect(try await bars(60, 360) == [[60, 120, 45, 1], [120, 180, 5, 0], [300, 360, 30, 1]])
  }

  @Test func `an interval that contains a bound has only samples inside the range`() async throws {
    try await save(.activeEnergyBurned, "kJ", [(10, 50, 40), (70, 80, 10), (150, 190, 40)])
    #expect(
      try await bars(30, nil) == [[0, 60, 20, 0], [60, 120, 10, 1], [120, 180, 30, 1], [180, 240, 10, 0]])
    #expect(try await bars(nil, 160) == [[0, 60, 40, 1], [60, 120, 10, 1], [120, 180, 10, 1]])
    #expect(try await bars(30, 160) == [[0, 60, 20, 0], [60, 120, 10, 1], [120, 180, 10, 1]])
    // Both bounds of the range are in one interval.
    #expect(try await bars(20, 40) == [[0, 60, 20, 0]])
    #expect(try await bars(155, 170) == [[120, 180, 15, 0]])
    // A sample that ends at the start of the range, or begins at its end, does not count.
    #expect(try await bars(50, 70) == [])
    #expect(try await bars(50, 75) == [[60, 120, 5, 1]])
    #expect(try await bars(80, 100) == [])
  }

  @Test func `the intervals add up to the range, for any bounds`() async throws {
    var random = SeededGenerator(seed: 31)
    try await save(
      .activeEnergyBurned, "kJ",
      (0..<200).map { _ -> (from: Double, to: Double, Double) in
        let start = Double.random(in: 0..<3600, using: &random)
        let duration = ([0, 7, 90, 400] as [Double]).randomElement(using: &random) ?? 0
        return (start, start + duration, 1 + duration)
      })
    for _ in 0..<40 {
      let bounds = (0..<2).map { _ in Double.random(in: 0..<3600, using: &random) }.sorted()
      let whole = try #require(try await energy(bounds[0], bounds[1]))
      let bars = try await bars(bounds[0], bounds[1])
      #expect(abs(bars.map { $0[2] }.reduce(0, +) - whole[0]) < 1e-6, "\(bounds)")
      #expect(bars.map { $0[3] }.reduce(0, +) == whole[1], "\(bounds)")
    }
  }

  @Test func `a range may be a microsecond long, and a sample that crosses it years`() async throws {
    try await save(.activeEnergyBurned, "kJ", [(0, 1e8, 1e8)])
    let moment = try #require(try await energy(300, 300.000_001))
    #expect(abs(moment[0] - 1e-6) < 1e-12)
    #expect(try await energy(300, 300.001)?[0] == 1e-3)
    #expect(try await energy(300, nil)?.prefix(2) == [1e8 - 300, 0])
    // The range is shorter than the resolution of times, a microsecond.
    #expect(try await energy(300, 300.000_000_3) == nil)
  }
}
