import HealthKit
import Testing

/// Tests that each interval starts at the anchor plus a multiple of the components in the calendar, in both
/// directions (docs/healthkit-rules.md, §7.4).
@Suite struct StatisticsCalendarTests {
  private let calendar: Calendar

  init() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    self.calendar = calendar
  }

  private func date(_ month: Int, _ day: Int, _ hour: Int = 0, year: Int = 2026) throws -> Date {
    try #require(calendar.date(from: DateComponents(year: year, month: month, day: day, hour: hour)))
  }

  /// Returns the statistics of one step at each of the dates.
  private func statistics(
    at dates: [Date], anchor: Date, every components: DateComponents
  ) async throws -> HKStatisticsCollection {
    let store = try HKHealthStore.inMemory()
    try await store.save(
      dates.map {
        HKQuantitySample(
          type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 1), start: $0,
          end: $0)
      })
    var components = components
    if components.timeZone == nil { components.calendar = calendar }
    return try await HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.stepCount)), options: .cumulativeSum,
      anchorDate: anchor, intervalComponents: components
    ).result(for: store)
  }

  private func hours(_ statistics: HKStatistics) -> Double {
    statistics.endDate.timeIntervalSince(statistics.startDate) / 3600
  }

  /// March 29 has 23 hours and October 25 has 25. The days are counted forward from winter, and backward from
  /// summer.
  @Test(arguments: [(1, 1), (7, 1), (12, 31)])
  func `days are calendar days across daylight saving time`(_ month: Int, _ day: Int) async throws {
    let lateInTheDay =
      try [28, 29, 30].map { try date(3, $0, 23) } + [24, 25, 26].map { try date(10, $0, 23) }
    let result = try await statistics(
      at: lateInTheDay, anchor: date(month, day), every: DateComponents(day: 1))
    let midnights = try [28, 29, 30].map { try date(3, $0) } + [24, 25, 26].map { try date(10, $0) }
    #expect(result.statistics().map(\.startDate) == midnights)
    #expect(result.statistics().map(hours) == [24, 23, 24, 24, 25, 24])
    #expect(result.statistics().map(\.sampleCount) == Array(repeating: 1, count: 6))
  }

  @Test func `hours are exact across daylight saving time`() async throws {
    // Count from midnight of October 25. Its 25 hours occur once each.
    let midnight = try date(10, 25)
    let result = try await statistics(
      at: (0..<25).map { midnight.addingTimeInterval(3600 * Double($0)) }, anchor: date(3, 1),
      every: DateComponents(hour: 1))
    #expect(result.statistics().map(\.sampleCount) == Array(repeating: 1, count: 25))
    #expect(result.statistics().allSatisfy { hours($0) == 1 })
  }

  @Test func `weeks and months begin on the anchor's day`() async throws {
    let weeks = try await statistics(
      at: [date(3, 25), date(4, 1)], anchor: date(7, 1), every: DateComponents(weekOfYear: 1))
    #expect(try weeks.statistics().map(\.startDate) == [date(3, 25), date(4, 1)])
    #expect(weeks.statistics().map(hours) == [167, 168])
    // Count backward from July 15. Each month goes from the 15th to the 15th.
    let months = try await statistics(
      at: [date(2, 14, 23), date(2, 15), date(8, 1)], anchor: date(7, 15), every: DateComponents(month: 1))
    #expect(try months.statistics().map(\.startDate) == [date(1, 15), date(2, 15), date(7, 15)])
    #expect(try months.statistics().map(\.endDate) == [date(2, 15), date(3, 15), date(8, 15)])
  }

  @Test func monthsCountFromTheAnchor() async throws {
    // The month that starts on January 31 is followed by one from February 28, and then by one from March 31,
    // not 28.
    let result = try await statistics(at: [date(3, 30)], anchor: date(1, 31), every: DateComponents(month: 1))
    #expect(try result.statistics().map(\.startDate) == [date(2, 28)])
    #expect(try result.statistics().map(\.endDate) == [date(3, 31)])
  }

  @Test func yearsAreCalendarYears() async throws {
    let result = try await statistics(
      at: [date(12, 31, 23, year: 2024), date(1, 1, year: 2025)], anchor: date(1, 1),
      every: DateComponents(year: 1))
    #expect(try result.statistics().map(\.startDate) == [date(1, 1, year: 2024), date(1, 1, year: 2025)])
    #expect(result.statistics().map(hours) == [8784, 8760])
  }

  @Test func intervalsFollowEachOtherWithoutGaps() async throws {
    let result = try await statistics(at: [], anchor: date(7, 31), every: DateComponents(month: 1, day: 3))
    var ends: [Date] = []
    var starts: [Date] = []
    result.enumerateStatistics(from: try date(1, 1, year: 2020), to: try date(1, 1, year: 2030)) {
      statistics, _ in
      starts.append(statistics.startDate)
      ends.append(statistics.endDate)
    }
    #expect(starts.count > 100)
    #expect(Array(starts.dropFirst()) == ends.dropLast())
    #expect(zip(starts, ends).allSatisfy { $0 < $1 })
  }

  @Test func `the time zone of the components is used`() async throws {
    let result = try await statistics(
      at: [date(3, 29, 12)], anchor: date(3, 1), every: DateComponents(timeZone: calendar.timeZone, day: 1))
    #expect(result.statistics().map(hours) == [23])
  }
}
