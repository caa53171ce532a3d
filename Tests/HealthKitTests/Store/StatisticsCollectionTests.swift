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
  func `intervals extend in both directions from the anchor`(_ depth: StoreDepth) async throws {
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

  @Test func `enumeration visits empty intervals and can be stopped`() async throws {
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

  @Test func `a sum is split proportionally at the bounds`() async throws {
    let store = try HKHealthStore.inMemory()
    // The sample covers 50 s of the first minute, all of the second, and 10 s of the third.
    try await store.save([
      steps(120, from: moment(10), to: moment(130)), steps(5, from: moment(0), to: moment(0)),
    ])
    let result = try await collection(
      store, .stepCount, [.cumulativeSum, .duration], every: DateComponents(minute: 1))
    #expect(result.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) } == [55, 60, 10])
    #expect(result.statistics().map { $0.duration()?.doubleValue(for: .second()) } == [50, 60, 10])
    #expect(result.statistics().map(\.sampleCount) == [2, 0, 0])
  }

  @Test func `the weight of a sample counts in its intervals`() async throws {
    let store = try HKHealthStore.inMemory()
    // The rate of 60 at 58 s counts for 4 s, although the next value is in the next minute. In that minute,
    // 90 and 120 count for 1 s each.
    try await store.save([
      heartRate(30, at: 56), heartRate(60, at: 58), heartRate(90, at: 62), heartRate(120, at: 63),
    ])
    let result = try await collection(store, .heartRate, [.discreteAverage], every: DateComponents(minute: 1))
    let averages = result.statistics().map { $0.averageQuantity()?.doubleValue(for: beatsPerMinute) }
    let first: Double = (30 * 2 + 60 * 4) / 6
    #expect(averages == [first, 105])
  }

  @Test func `a discrete sample counts in every interval that it covers`() async throws {
    let store = try HKHealthStore.inMemory()
    // The first sample covers 10 s of the first minute, all of the second, and 20 s of the third, which also
    // has another sample. The fourth minute has none.
    try await store.save([heartRate(60, at: 50, lasting: 90), heartRate(90, at: 140, lasting: 40)])
    let result = try await collection(
      store, .heartRate, [.discreteAverage, .discreteMin, .discreteMax, .mostRecent],
      every: DateComponents(minute: 1))
    func values(_ quantity: (HKStatistics) -> HKQuantity?) -> [Double?] {
      result.statistics().map { quantity($0)?.doubleValue(for: beatsPerMinute) }
    }
    #expect(values { $0.averageQuantity() } == [60, 60, 80])
    #expect(values { $0.minimumQuantity() } == [60, 60, 60])
    #expect(values { $0.maximumQuantity() } == [60, 60, 90])
    #expect(values { $0.mostRecentQuantity() } == [60, 60, 90])
  }

  @Test func `a long sample overlaps samples that begin later`() async throws {
    let store = try HKHealthStore.inMemory()
    // Samples of one source are added up, also if one of them begins before the interval.
    try await store.save([
      steps(600, from: moment(0), to: moment(600)), steps(6, from: moment(150), to: moment(270)),
      steps(1, from: moment(430), to: moment(430)),
    ])
    let result = try await collection(
      store, .stepCount, [.cumulativeSum, .duration], every: DateComponents(minute: 1))
    #expect(
      result.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) }
        == [60, 60, 61.5, 63, 61.5, 60, 60, 61, 60, 60])
    #expect(
      result.statistics().map { $0.duration()?.doubleValue(for: .second()) }
        == Array(repeating: 60, count: 10))
  }

  @Test func `sources are unknown unless separated`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(steps(3, from: moment(), to: moment(1)))
    let result = try await collection(store, .stepCount, .cumulativeSum, every: DateComponents(hour: 1))
    #expect(result.sources().isEmpty)
    #expect(result.statistics().first?.sources == nil)
    #expect(result.statistics().first?.sumQuantity(for: .default()) == nil)
  }

  @Test func anEmptyIntervalHasItsBoundsAndNoQuantities() async throws {
    let store = try HKHealthStore.inMemory()
    let result = try await collection(
      store, .stepCount, [.cumulativeSum, .duration, .mostRecent], every: DateComponents(hour: 1))
    let empty = try #require(result.statistics(for: moment(-1)))
    #expect((empty.startDate, empty.endDate) == (moment(-3600), moment(0)))
    #expect(empty.sumQuantity() == nil && empty.duration() == nil && empty.mostRecentQuantity() == nil)
    #expect(result.statistics().isEmpty)
  }

  @Test func sourcesAreSeparated() async throws {
    let store = try HKHealthStore.inMemory()
    let source = HKSource(name: "a", bundleIdentifier: "a")
    try await store.acting(as: source).save(steps(3, from: moment(), to: moment(1)))
    try await store.save(steps(4, from: moment(), to: moment(1)))
    let result = try await collection(
      store, .stepCount, [.cumulativeSum, .separateBySource], every: DateComponents(hour: 1))
    #expect(result.sources() == [source, .default()])
    // Only the newer source counts, because it covers the times of the other source completely.
    #expect(result.statistics().first?.sumQuantity()?.doubleValue(for: .count()) == 4)
    #expect(result.statistics().first?.sumQuantity(for: source)?.doubleValue(for: .count()) == 3)
  }

  @Test func `a very long sample is rejected`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(steps(1, from: moment(), to: .distantFuture.addingTimeInterval(-1)))
    await expectFailure(.errorInvalidArgument) {
      try await collection(store, .stepCount, .cumulativeSum, every: DateComponents(nanosecond: 1000))
    }
  }

  @Test func `many very long samples are rejected together`() async throws {
    let store = try HKHealthStore.inMemory()
    // The samples cover 43 million hours in total, but each one is valid.
    let span: Double = 150 * 365.25 * 86400
    try await store.save((0..<33).map { steps(1, from: moment(Double($0)), to: moment(span)) })
    await expectFailure(.errorInvalidArgument) {
      try await collection(store, .stepCount, .cumulativeSum, every: DateComponents(hour: 1))
    }
  }

  @Test func `the query has its options as properties`() {
    let components = DateComponents(day: 7)
    let query = HKStatisticsCollectionQuery(
      quantityType: HKQuantityType(.stepCount), quantitySamplePredicate: nil, options: .cumulativeSum,
      anchorDate: moment(5), intervalComponents: components)
    #expect(query.options == .cumulativeSum)
    #expect(query.anchorDate == moment(5))
    #expect(query.intervalComponents == components)
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
