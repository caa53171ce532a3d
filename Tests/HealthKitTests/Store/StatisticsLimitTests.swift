import HealthStorage
import HealthSystem
import Testing

@testable import HealthKit

/// Tests the limits of statistics queries.
@Suite struct StatisticsLimitTests {
  private static let second: Int64 = 1_000_000

  private func fold(_ intervals: StatisticsIntervals) -> StatisticsFold {
    StatisticsFold(
      style: .cumulative, separates: false, intervals: intervals,
      keys: SampledValueKeys(
        units: [0: "count"], sources: [SourceRecord(bundleIdentifier: "s", name: "s")], provenances: [0: 0]))
  }

  @Test func `any number of samples may cross one or two bounds`() throws {
    let intervals = try StatisticsIntervals(anchor: moment(), components: DateComponents(second: 1))
    var fold = fold(intervals)
    let start = Microseconds.clamped(moment())
    let count: Int64 = 1000
    for index in 0..<count {
      let from = start + index * Self.second / 2
      try fold.add(
        SampledValue(start: from, end: from + Self.second, value: 1, unit: 0, provenance: 0))
    }
    #expect(fold.span == 0)
    // A sample that crosses many interval bounds counts towards the limit, except for its first few bounds.
    let last = start + count * Self.second
    try fold.add(
      SampledValue(start: last, end: last + 100 * Self.second, value: 1, unit: 0, provenance: 0))
    #expect(fold.span == 101 - StatisticsFold.fewBounds)
    #expect(fold.finish().count == count / 2 + 1 + 100)
  }

  @Test func `a sample that covers very many intervals is rejected`() throws {
    let intervals = try StatisticsIntervals(anchor: moment(), components: DateComponents(second: 1))
    var fold = fold(intervals)
    let start = Microseconds.clamped(moment())
    let reach = Int64(StatisticsFold.greatestReach)
    try fold.add(
      SampledValue(start: start, end: start + (reach - 2) * Self.second, value: 1, unit: 0, provenance: 0))
    expectFailure(.errorInvalidArgument) {
      try fold.add(
        SampledValue(start: start, end: start + (reach + 1) * Self.second, value: 1, unit: 0, provenance: 0))
    }
  }

  @Test func `a negative component is rejected`() throws {
    for components in [
      DateComponents(month: 1, day: -29), DateComponents(day: 2, hour: -1),
      DateComponents(year: 1, second: -1),
    ] {
      #expect(throws: HKValidationError.self, "\(components)") {
        try StatisticsIntervals(anchor: moment(), components: components)
      }
    }
  }

  @Test(arguments: [Calendar.Identifier.gregorian, .islamicCivil, .hebrew, .persian, .chinese])
  func `every time has an interval, in any calendar and at any distance from the anchor`(
    _ identifier: Calendar.Identifier
  ) throws {
    var calendar = Calendar(identifier: identifier)
    calendar.timeZone = .gmt
    for components in [DateComponents(month: 1), DateComponents(year: 1), DateComponents(day: 1)] {
      var components = components
      components.calendar = calendar
      let intervals = try StatisticsIntervals(anchor: moment(), components: components)
      for years in [-1500.0, -300, -1, 0, 1, 300, 1500] {
        let time = Microseconds.clamped(moment(years * 365.2425 * 86400))
        let bounds = try #require(intervals.bounds(at: time), "\(identifier) \(components) \(years)")
        #expect(bounds.contains(time))
      }
    }
  }

  // MARK: - Differences

  private func average(_ value: Double, sum: Double? = nil) -> HKStatistics.Figures {
    HKStatistics.Figures(
      average: HKQuantity(unit: beatsPerMinute, doubleValue: value),
      sum: sum.map { HKQuantity(unit: .count(), doubleValue: $0) })
  }

  @Test func `a difference in the last bits of a sum is not a change, a larger one is`() {
    #expect(average(0.1 + 0.2, sum: 0.3).isAlmost(average(0.3, sum: 0.1 + 0.2)))
    #expect(average(0.1 + 0.2).isAlmost(average(0.3)) && 0.1 + 0.2 != 0.3)
    #expect(!average(70).isAlmost(average(70 + 1e-9)))
    #expect(!average(0).isAlmost(average(1e-300)))
    #expect(!average(70).isAlmost(average(70, sum: 1)))
    #expect(average(.infinity).isAlmost(average(.infinity)))
    #expect(!average(.infinity).isAlmost(average(1)))
  }

  @Test func `a day whose summaries are stored meanwhile is not reported as changed`() async throws {
    let store = try HKHealthStore.inMemory()
    var generator = SystemRandomNumberGenerator()
    for hour in 0..<12 {
      try await store.save(
        (0..<200).map {
          heartRate(
            Double.random(in: 50...150, using: &generator), at: Double(hour * 3600 + $0 * 17), lasting: 3)
        })
    }
    let components = DateComponents(day: 1)
    var results = HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: heartRateType), options: [.discreteAverage], anchorDate: moment(),
      intervalComponents: components
    ).results(for: store).makeAsyncIterator()
    _ = try await results.next()
    await store.finishUpkeep()
    #expect(try await store.user.keptHours(of: heartRateType) > 5)
    for day in 1...3 {
      try await store.save(heartRate(60, at: Double(day) * 86400 + 1))
      let updated = try #require(try await results.next()?.updatedStatistics)
      #expect(updated.map(\.startDate) == [moment(Double(day) * 86400)])
      await store.finishUpkeep()
    }
  }
}
