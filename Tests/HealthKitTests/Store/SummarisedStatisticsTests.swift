import HealthStorage
import HealthSystem
import Testing

@testable import HealthKit
@testable import TestSupport

/// Tests that statistics from summaries of hours equal those from samples.
@Suite(.timeLimit(.minutes(30))) struct SummarisedStatisticsTests {
  private static let heartRate = HKQuantityType(.heartRate)

  @Test(
    arguments: [
      HKQuantityType(.heartRate), HKQuantityType(.bodyTemperature),
      HKQuantityType(.environmentalAudioExposure),
    ], 1...UInt64(isLongRun ? 4 : 1))
  func `statistics are the same with and without summaries and blocks, after any change`(
    type: HKQuantityType, seed: UInt64
  ) async throws {
    var history = RandomHistory(type: type, seed: seed)
    let store = try HKHealthStore.inMemory()
    var (used, packed) = (0, 0)
    for round in 0..<14 {
      try await history.change(store, round)
      if round % 3 == 2 { packed += try await store.admit(.read([type])).condense() }
      for _ in 0..<(isLongRun ? 5 : 1) {
        let request = history.request()
        try await request.expectEqual(in: store, "round \(round), seed \(seed)")
        await store.finishUpkeep()
        try await request.expectEqual(in: store, "round \(round), seed \(seed), kept")
        for source in RandomHistory.sources {
          try await request.of(source).expectEqual(in: store, "round \(round), seed \(seed), \(source.name)")
        }
      }
      used = max(used, try await store.user.keptHours(of: type))
    }
    #expect(used >= 4 && packed > 1000, "\(used), \(packed)")
  }

  @Test func `stored summaries are used for statistics`() async throws {
    let store = try HKHealthStore.inMemory()
    let start = Date(timeIntervalSince1970: 1_700_000 * 3600)
    try await store.save(
      (0..<7200).map { second in
        HKQuantitySample(
          type: Self.heartRate, quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 60),
          start: start + Double(second), end: start + Double(second))
      })
    func averages(of source: HKSource? = nil) async throws -> [Double?] {
      let predicate = source.map { HKQuery.predicateForObjects(from: $0) }
      let query = HKStatisticsCollectionQueryDescriptor(
        predicate: .quantitySample(type: Self.heartRate, predicate: predicate), options: .discreteAverage,
        anchorDate: start, intervalComponents: DateComponents(hour: 1))
      return try await query.result(for: store).statistics().map {
        $0.averageQuantity()?.doubleValue(for: beatsPerMinute)
      }
    }
    // The samples of one source are not all of an hour, so no summary is created from them.
    #expect(try await averages(of: .default()) == [60, 60])
    await store.finishUpkeep()
    #expect(try await store.user.keptHours(of: Self.heartRate) == 0)
    #expect(try await averages() == [60, 60])
    await store.finishUpkeep()
    // Only the first hour has a summary, because the last hour may still get samples.
    #expect(try await store.user.keptHours(of: Self.heartRate) == 1)
    let database = try store.admit(.read([Self.heartRate]))
    try await database.tamper(ofType: Self.heartRate.identifier)
    #expect(try await averages() == [120, 60])
    #expect(try await averages(of: .default()) == [120, 60])
    #expect(try await averages(of: HKSource(name: "", bundleIdentifier: "org.example.other")) == [])
    // A new sample deletes the summary of its hour, so the samples are used again.
    try await store.save(
      HKQuantitySample(
        type: Self.heartRate, quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 60), start: start,
        end: start))
    #expect(try await averages() == [60, 60])
  }

  @Test(arguments: StoreDepth.allCases)
  func `a program gets summaries only if it may read all samples`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withApplication { application in
      try await application.monitor.save((0..<8000).map { HealthKitTests.heartRate(60, at: Double($0)) })
      let query = HKStatisticsQueryDescriptor(
        predicate: .quantitySample(type: Self.heartRate), options: .discreteMax)
      func count(_ store: HKHealthStore) async throws -> Int? {
        do {
          return try await query.result(for: store)?.sampleCount
        } catch let error as HKError where error.code == .errorNoData {
          return nil
        }
      }
      #expect(try await count(application.system) == 8000)
      await application.system.finishUpkeep()
      #expect(try await application.system.user.keptHours(of: Self.heartRate) > 0)
      try await application.decide(share: true, read: false, Self.heartRate)
      #expect(try await count(application.store) == nil)
      try await application.store.save((0..<4000).map { HealthKitTests.heartRate(60, at: Double($0)) })
      #expect(try await count(application.store) == 4000)
      // An application that may not read all samples does not cause summaries to be stored.
      await application.store.finishUpkeep()
      #expect(try await count(application.system) == 12000)
      try await application.decide(read: true, Self.heartRate)
      #expect(try await count(application.store) == 12000)
    }
  }

  /// The number of seconds from `moment()` to the start of an hour in UTC.
  private static let hour = 2800.0

  private func heartRate(
    _ value: Double, atSecondOfHour second: Double, lasting duration: Double = 0
  ) -> HKQuantitySample {
    HealthKitTests.heartRate(value, at: Self.hour + second, lasting: duration)
  }

  /// Returns for each interval, rounded to a millionth: start within the hour, average, maximum.
  private func figures(of store: HKHealthStore, each interval: DateComponents) async throws -> [[Int]] {
    let query = HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: Self.heartRate), options: [.discreteAverage, .discreteMax],
      anchorDate: moment(Self.hour), intervalComponents: interval)
    return try await query.result(for: store).statistics().map { statistics in
      let values = [statistics.averageQuantity(), statistics.maximumQuantity()]
      return [Int(statistics.startDate.timeIntervalSince(moment(Self.hour)))]
        + values.map { Int((($0?.doubleValue(for: beatsPerMinute) ?? -1) * 1e6).rounded()) }
    }
  }

  @Test func `a value lasts until the next of its source, even if others begin the next hour earlier`()
    async throws
  {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, read: true, Self.heartRate)
      try await application.monitor.save((0..<7200).map { heartRate(60, atSecondOfHour: Double($0)) })
      // The last sample before the end of the hour counts for four seconds, until the next sample of its
      // source. Without that sample it would count for one.
      let own = Array(stride(from: 3500.0, to: 3599, by: 1)) + [3599, 3603]
      try await application.store.save(own.map { heartRate($0 == 3599 ? 160 : 60, atSecondOfHour: $0) })
      let hourly = DateComponents(hour: 1)
      let before = try await figures(of: application.system, each: hourly)
      await application.system.finishUpkeep()
      #expect(try await application.system.user.keptHours(of: Self.heartRate) == 1)
      #expect(try await figures(of: application.system, each: hourly) == before)
    }
  }

  @Test func `an interval that ends within a sample gets its share, not the hour`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save((0..<100).map { heartRate(60, atSecondOfHour: Double($0)) })
    try await store.save(heartRate(100, atSecondOfHour: 1790, lasting: 20))
    try await store.save((3600..<3700).map { heartRate(60, atSecondOfHour: Double($0)) })
    let half = DateComponents(minute: 30)
    let before = try await figures(of: store, each: half)
    #expect(before.map { $0[0] } == [0, 1800, 3600])
    _ = try await figures(of: store, each: DateComponents(hour: 1))
    await store.finishUpkeep()
    #expect(try await store.user.keptHours(of: Self.heartRate) == 1)
    #expect(try await figures(of: store, each: half) == before)
  }

  @Test(arguments: [(400.0, false), (360, true)])
  func `only hours with ten samples or more get summaries`(interval: Double, isKept: Bool) async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save((0..<400).map { HealthKitTests.heartRate(60, at: Double($0) * interval) })
    let query = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: Self.heartRate), options: .discreteMax)
    _ = try await query.result(for: store)
    await store.finishUpkeep()
    #expect(try await (store.user.keptHours(of: Self.heartRate) > 0) == isKept)
  }
}

extension SampleDatabase {
  /// Compacts samples into segments.
  /// - Returns: the number of samples that were compacted.
  func condense() async throws -> Int {
    var (compactor, packed) = (Compactor(self), 0)
    try await compactor.look()
    while let step = try await compactor.step(at: Microseconds.clamped(Date())) {
      if case .packed(let rows) = step { packed += rows }
    }
    return packed
  }

  /// Replaces the figures of the summaries by wrong ones, to show whether they are used.
  fileprivate func tamper(ofType type: String) async throws {
    let filter = SampleFilter.type(type)
    let (hours, position) = try await foldSummarised(
      filter, type: type, prepare: { _, scope in ([HourSummary](), scope.position) }, { _, _ in },
      hour: { found, hour in
        found.0.append(hour)
        return true
      })
    let doubled = hours.map { hour in
      var hour = hour
      hour.all.weightedSum *= 2
      hour.bySource[0].figures.weightedSum *= 2
      return hour
    }
    try await forgetSummaries()
    try await keep(doubled, ofType: type, readAt: position)
  }
}
