import HealthKit
import Testing

@Suite struct StatisticsCollectionTests {
  private func collection(
    _ store: HKHealthStore, _ type: HKQuantityTypeIdentifier, _ options: HKStatisticsOptions,
    anchor: Date = moment(), every components: DateComponents
  ) async throws -> HKStatisticsCollection {
    try await HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(type)), options: options, anchorDate: anchor,
      intervalComponents: components
    ).result(for: store)
  }

  private func steps(_ count: Double, from start: Date, to end: Date) -> HKQuantitySample {
    HKQuantitySample(
      type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: count),
      start: start,
      end: end)
  }

  @Test(arguments: StoreDepth.allCases)
  func intervalsReachBothWaysFromTheAnchor(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let seconds: [Double] = [-61, -60, -1, 0, 59, 60, 300]
      try await store.save(seconds.map { heartRate(60 + $0 / 10, at: $0) })
      let result = try await collection(store, .heartRate, [.discreteMin], every: DateComponents(minute: 1))
      #expect(result.statistics().map(\.startDate) == [-120, -60, 0, 60, 300].map { moment($0) })
      #expect(result.statistics().map(\.endDate) == [-60, 0, 60, 120, 360].map { moment($0) })
      #expect(result.statistics().map(\.sampleCount) == [1, 2, 2, 1, 1])
      #expect(result.statistics(for: moment(59))?.sampleCount == 2)
      #expect(result.statistics(for: moment(200))?.minimumQuantity() == nil)
      #expect(result.statistics(for: moment(200))?.startDate == moment(180))
    }
  }

  @Test func enumerationVisitsEmptyIntervalsAndStopsWhenTold() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(60, at: 0), heartRate(70, at: 180)])
    let result = try await collection(store, .heartRate, [.discreteMax], every: DateComponents(minute: 1))
    var visited: [Double?] = []
    result.enumerateStatistics(from: moment(-30), to: moment(190)) { statistics, _ in
      visited.append(statistics.maximumQuantity()?.doubleValue(for: beatsPerMinute))
    }
    #expect(visited == [nil, 60, nil, nil, 70])
    var count = 0
    result.enumerateStatistics(from: moment(), to: moment(1e6)) { _, stop in
      count += 1
      stop.pointee = ObjCBool(count == 3)
    }
    #expect(count == 3)
  }

  @Test func aSumIsSplitProRataAtTheBoundaries() async throws {
    let store = try HKHealthStore.inMemory()
    // 50 s in the first minute, 60 in the second, 10 in the third.
    try await store.save([
      steps(120, from: moment(10), to: moment(130)), steps(5, from: moment(0), to: moment(0)),
    ])
    let result = try await collection(
      store, .stepCount, [.cumulativeSum, .duration], every: DateComponents(minute: 1))
    #expect(result.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) } == [55, 60, 10])
    #expect(result.statistics().map { $0.duration()?.doubleValue(for: .second()) } == [50, 60, 10])
    #expect(result.statistics().map(\.sampleCount) == [2, 0, 0])
  }

  @Test func theWeightOfASampleCountsWhereItLies() async throws {
    let store = try HKHealthStore.inMemory()
    // 58 s: 60 for 4 s, though the next value lies in the next minute; 62 s: 90 for 1 s, then 120 for 1 s.
    try await store.save([
      heartRate(30, at: 56), heartRate(60, at: 58), heartRate(90, at: 62), heartRate(120, at: 63),
    ])
    let result = try await collection(store, .heartRate, [.discreteAverage], every: DateComponents(minute: 1))
    let averages = result.statistics().map { $0.averageQuantity()?.doubleValue(for: beatsPerMinute) }
    let first: Double = (30 * 2 + 60 * 4) / 6
    #expect(averages == [first, 105])
  }

  @Test func daysFollowTheCalendarThroughSummerTime() async throws {
    let store = try HKHealthStore.inMemory()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    func date(_ day: Int, _ hour: Int = 0) throws -> Date {
      try #require(calendar.date(from: DateComponents(year: 2026, month: 3, day: day, hour: hour)))
    }
    try await store.save(
      (27...31).map { day in try steps(Double(day), from: date(day, 23), to: date(day, 23)) })
    var components = DateComponents(day: 1)
    components.calendar = calendar
    // 29 March has 23 hours.
    let result = try await collection(store, .stepCount, .cumulativeSum, anchor: date(1), every: components)
    #expect(try result.statistics().map(\.startDate) == (27...31).map { try date($0) })
    #expect(result.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) } == [27, 28, 29, 30, 31])
    #expect(result.statistics()[2].endDate.timeIntervalSince(result.statistics()[2].startDate) == 23 * 3600)
  }

  @Test func monthsCountFromTheAnchor() async throws {
    let store = try HKHealthStore.inMemory()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    func date(_ month: Int, _ day: Int) throws -> Date {
      try #require(calendar.date(from: DateComponents(year: 2026, month: month, day: day)))
    }
    try await store.save(steps(1, from: date(3, 30), to: date(3, 30)))
    var components = DateComponents(month: 1)
    components.calendar = calendar
    let result = try await collection(
      store, .stepCount, .cumulativeSum, anchor: date(1, 31), every: components)
    // 28 February and then again the 31st, not the 28th.
    #expect(try result.statistics().first?.startDate == date(2, 28))
    #expect(try result.statistics().first?.endDate == date(3, 31))
  }

  @Test func sourcesAreSeparated() async throws {
    let store = try HKHealthStore.inMemory()
    let source = HKSource(name: "a", bundleIdentifier: "a")
    try await store.acting(as: source).save(steps(3, from: moment(), to: moment(1)))
    try await store.save(steps(4, from: moment(), to: moment(1)))
    let result = try await collection(
      store, .stepCount, [.cumulativeSum, .separateBySource], every: DateComponents(hour: 1))
    #expect(result.sources() == [source, .default()])
    #expect(result.statistics().first?.sumQuantity()?.doubleValue(for: .count()) == 7)
    #expect(result.statistics().first?.sumQuantity(for: source)?.doubleValue(for: .count()) == 3)
  }

  @Test func aSampleOfAgesIsRefusedRatherThanSplitWithoutEnd() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(steps(1, from: moment(), to: .distantFuture.addingTimeInterval(-1)))
    await #expect(throws: HKError.self) {
      try await collection(store, .stepCount, .cumulativeSum, every: DateComponents(nanosecond: 1000))
    }
  }

  @Test func theQueryCallsItsInitialHandler() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    let query = HKStatisticsCollectionQuery(
      quantityType: HKQuantityType(.heartRate), quantitySamplePredicate: nil, options: .discreteMax,
      anchorDate: moment(), intervalComponents: DateComponents(hour: 1))
    let found = await withCheckedContinuation { done in
      query.initialResultsHandler = { _, collection, _ in done.resume(returning: collection) }
      store.execute(query)
    }
    #expect(found?.statistics().count == 1)
  }
}
