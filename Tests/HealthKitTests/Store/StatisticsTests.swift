import HealthKit
import Testing

@Suite struct StatisticsTests {
  private static let discrete: HKStatisticsOptions = [
    .discreteAverage, .discreteMin, .discreteMax, .mostRecent, .duration,
  ]

  private func statistics(
    _ store: HKHealthStore, _ type: HKQuantityTypeIdentifier = .heartRate,
    _ options: HKStatisticsOptions = Self.discrete, _ predicate: NSPredicate? = nil
  ) async throws -> HKStatistics {
    let query = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(type), predicate: predicate), options: options)
    return try #require(try await query.result(for: store))
  }

  private func average(_ samples: [HKQuantitySample]) async throws -> Double? {
    let store = try HKHealthStore.inMemory()
    try await store.save(samples)
    return try await statistics(store).averageQuantity()?.doubleValue(for: beatsPerMinute)
  }

  private func sample(
    _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, at start: Double,
    lasting duration: Double
  ) -> HKQuantitySample {
    HKQuantitySample(
      type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
      start: moment(start), end: moment(start + duration))
  }

  @Test(arguments: StoreDepth.allCases)
  func leastGreatestLatestAndBounds(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await store.save([
        heartRate(80, at: 10), heartRate(50, at: 12), heartRate(120, at: 0),
        heartRate(90, at: 20, lasting: 4),
      ])
      let result = try await statistics(store)
      #expect(result.minimumQuantity() == HKQuantity(unit: beatsPerMinute, doubleValue: 50))
      #expect(result.maximumQuantity() == HKQuantity(unit: beatsPerMinute, doubleValue: 120))
      #expect(result.mostRecentQuantity() == HKQuantity(unit: beatsPerMinute, doubleValue: 90))
      #expect(result.mostRecentQuantityDateInterval() == DateInterval(start: moment(20), end: moment(24)))
      #expect(result.duration() == HKQuantity(unit: .second(), doubleValue: 4))
      #expect((result.startDate, result.endDate) == (moment(0), moment(24)))
      #expect(result.sampleCount == 4)
      #expect(result.sumQuantity() == nil)
      #expect(result.sources == nil)
    }
  }

  @Test func `only the requested statistics are returned`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    let result = try await statistics(store, .heartRate, .discreteMin)
    #expect(result.minimumQuantity() != nil)
    #expect(result.maximumQuantity() == nil)
    #expect(result.averageQuantity() == nil)
    #expect(result.mostRecentQuantity() == nil)
    #expect(result.duration() == nil)
  }

  @Test func aSingleSampleIsItsOwnAverage() async throws {
    #expect(try await average([heartRate(73, at: 0)]) == 73)
  }

  @Test func `a heart rate counts until the next one`() async throws {
    // The rate of 60 counts for 1 s, and 90 for 3 s. The last rate, 120, counts as long as the one before it:
    // 3 s.
    let result = try await average([heartRate(60, at: 0), heartRate(90, at: 1), heartRate(120, at: 4)])
    let expected: Double = (60 + 90 * 3 + 120 * 3) / 7
    #expect(result == expected)
  }

  @Test func `a heart rate counts for at most five seconds`() async throws {
    // The rate of 60 is the only one of its hour and counts for 5 s. 90 and 120 count for 1 s each.
    let result = try await average([heartRate(60, at: 0), heartRate(90, at: 3600), heartRate(120, at: 3601)])
    let expected: Double = (60 * 5 + 90 + 120) / 7
    #expect(result == expected)
  }

  @Test func `before a gap, a sample counts as long as the previous one`() async throws {
    // Each rate counts for 2 s. Neither the gap of 94 s nor the maximum of 5 s is used.
    let result = try await average([
      heartRate(60, at: 0), heartRate(90, at: 2), heartRate(120, at: 96), heartRate(150, at: 98),
    ])
    #expect(result == 105)
  }

  @Test func `a sample between gaps counts for five seconds`() async throws {
    // The rates of 60 and 90 count for 1 s each, and 120 for 5 s, because the rate before it is too far away.
    let result = try await average([heartRate(60, at: 0), heartRate(90, at: 1), heartRate(120, at: 100)])
    let expected: Double = (60 + 90 + 120 * 5) / 7
    #expect(result == expected)
  }

  @Test func `five seconds are not a gap`() async throws {
    let result = try await average([
      heartRate(60, at: 0), heartRate(90, at: 1), heartRate(120, at: 6), heartRate(150, at: 11.000_001),
    ])
    // The first rate counts for 1 s and the second for 5 s. The next distance exceeds 5 s by a microsecond
    // and is a gap, so the last two rates count for 5 s each.
    let expected: Double = (60 + 90 * 5 + 120 * 5 + 150 * 5) / 16
    #expect(result == expected)
  }

  @Test func `a sample changes only the weights of its neighbors`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save((0..<10).map { heartRate(60 + Double($0), at: 3 * Double($0)) })
    func averages() async throws -> [Double?] {
      try await HKStatisticsCollectionQueryDescriptor(
        predicate: .quantitySample(type: HKQuantityType(.heartRate)), options: .discreteAverage,
        anchorDate: moment(), intervalComponents: DateComponents(second: 6)
      ).result(for: store).statistics().map { $0.averageQuantity()?.doubleValue(for: beatsPerMinute) }
    }
    #expect(try await averages() == [60.5, 62.5, 64.5, 66.5, 68.5])
    // The rate of 63 now counts for 1 s instead of 3, and the new one for 2 s.
    try await store.save(heartRate(100, at: 10))
    let changed: Double = (62 * 3 + 63 + 100 * 2) / 6
    #expect(try await averages() == [60.5, changed, 64.5, 66.5, 68.5])
  }

  @Test func samplesOfOneInstantAreStillAveraged() async throws {
    // The first of the two rates counts for no time, and the second for the maximum time.
    #expect(try await average([heartRate(60, at: 0), heartRate(120, at: 0)]) == 120)
  }

  @Test func aDurationIsAWeight() async throws {
    let result = try await average([heartRate(60, at: 0, lasting: 30), heartRate(120, at: 30, lasting: 10)])
    #expect(result == 75)
  }

  @Test func `sources are weighted separately`() async throws {
    let store = try HKHealthStore.inMemory()
    let sources = ["a", "b"].map { HKSource(name: $0, bundleIdentifier: $0) }
    // Source a has 60 and 80, which count for 4 s each. Source b has only 100 in between.
    try await store.acting(as: sources[0]).save([heartRate(60, at: 0), heartRate(80, at: 4)])
    try await store.acting(as: sources[1]).save(heartRate(100, at: 2))
    let result = try await statistics(store, .heartRate, [.discreteAverage, .separateBySource])
    #expect(result.sources == sources)
    #expect(result.averageQuantity(for: sources[0])?.doubleValue(for: beatsPerMinute) == 70)
    #expect(result.averageQuantity(for: sources[1])?.doubleValue(for: beatsPerMinute) == 100)
    let merged: Double = (60 * 4 + 80 * 4 + 100 * 5) / 13
    #expect(result.averageQuantity()?.doubleValue(for: beatsPerMinute) == merged)
  }

  @Test func arithmeticTypesCountEachSampleAlike() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      sample(.bodyMass, 70, "kg", at: 0, lasting: 100), sample(.bodyMass, 80, "kg", at: 200, lasting: 0),
    ])
    let result = try await statistics(store, .bodyMass, .discreteAverage)
    #expect(result.averageQuantity()?.doubleValue(for: HKUnit(from: "kg")) == 75)
  }

  @Test func soundLevelsAreAveragedByEnergy() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      sample(.environmentalAudioExposure, 60, "dBASPL", at: 0, lasting: 1),
      sample(.environmentalAudioExposure, 80, "dBASPL", at: 1, lasting: 1),
    ])
    let result = try await statistics(store, .environmentalAudioExposure, .discreteAverage)
    let level = try #require(result.averageQuantity()?.doubleValue(for: HKUnit(from: "dBASPL")))
    let mean: Double = (1e6 + 1e8) / 2
    #expect(abs(level - 10 * log10(mean)) < 1e-9)
  }

  @Test func sumsConvertUnits() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      sample(.activeEnergyBurned, 10, "kJ", at: 0, lasting: 1),
      sample(.activeEnergyBurned, 500, "J", at: 1, lasting: 1),
      sample(.activeEnergyBurned, 1, "kcal", at: 2, lasting: 1),
    ])
    let result = try await statistics(store, .activeEnergyBurned, .cumulativeSum)
    let sum = try #require(result.sumQuantity()?.doubleValue(for: HKUnit(from: "kJ")))
    #expect(abs(sum - 14.684) < 1e-9)
  }

  @Test func `statistics without samples are errorNoData`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    let later = HKQuery.predicateForSamples(withStart: moment(1), end: nil)
    do {
      _ = try await statistics(store, .heartRate, .discreteMax, later)
      Issue.record("statistics of nothing")
    } catch HKError.errorNoData {
    }
    let error = await withCheckedContinuation { done in
      store.execute(
        HKStatisticsQuery(
          quantityType: HKQuantityType(.heartRate), quantitySamplePredicate: later, options: .discreteMax
        ) { _, result, error in
          #expect(result == nil)
          done.resume(returning: error as? HKError)
        })
    }
    #expect(error?.errorCode == 11)
  }

  @Test func `latest value and duration are available for both styles`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      heartRate(60, at: 0, lasting: 2), sample(.stepCount, 5, "count", at: 0, lasting: 3),
    ])
    for type in [HKQuantityTypeIdentifier.heartRate, .stepCount] {
      let result = try await statistics(store, type, [.mostRecent, .duration])
      #expect(result.mostRecentQuantity() != nil && result.duration() != nil)
    }
  }

  @Test func optionsThatDoNotFitTheTypeTrap() async {
    await #expect(processExitsWith: .failure) {
      _ = HKStatisticsQueryDescriptor(
        predicate: .quantitySample(type: HKQuantityType(.heartRate)), options: .cumulativeSum)
    }
    await #expect(processExitsWith: .failure) {
      _ = HKStatisticsQueryDescriptor(
        predicate: .quantitySample(type: HKQuantityType(.stepCount)), options: .discreteAverage)
    }
    await #expect(processExitsWith: .failure) {
      _ = HKStatisticsQuery(
        quantityType: HKQuantityType(.stepCount), quantitySamplePredicate: nil,
        options: [.cumulativeSum, .discreteMax]
      ) { _, _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      _ = HKStatisticsCollectionQuery(
        quantityType: HKQuantityType(.heartRate), quantitySamplePredicate: nil, options: .cumulativeSum,
        anchorDate: moment(), intervalComponents: DateComponents(day: 1))
    }
  }

  @Test func `statistics of a source require separation by source`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0, lasting: 1))
    let all: HKStatisticsOptions = [.discreteAverage, .discreteMin, .discreteMax, .mostRecent, .duration]
    for isSeparate in [false, true] {
      let result = try await statistics(store, .heartRate, isSeparate ? all.union(.separateBySource) : all)
      let source = HKSource.default()
      let figures = [
        result.averageQuantity(for: source), result.minimumQuantity(for: source),
        result.maximumQuantity(for: source), result.mostRecentQuantity(for: source),
        result.duration(for: source),
      ]
      #expect(figures.allSatisfy { ($0 != nil) == isSeparate })
      #expect((result.mostRecentQuantityDateInterval(for: source) != nil) == isSeparate)
      #expect(result.sources == (isSeparate ? [source] : nil))
      #expect(result.averageQuantity() != nil && result.sumQuantity(for: source) == nil)
    }
  }
}
