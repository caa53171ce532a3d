import CoreLocation
import HealthKit
import Testing

/// Tests that the statistics of a workout follow the store: the source with the highest priority counts, and
/// samples are replaced or deleted.
@Suite(.timeLimit(.minutes(30))) struct WorkoutSourcesTests {
  private static let energyType = HKQuantityType(.activeEnergyBurned)

  private func energy(
    _ kilocalories: Double, at start: Double, lasting duration: Double = 60, version: Int? = nil,
    entered: Bool = false
  ) -> HKQuantitySample {
    var metadata: [String: Any] = [:]
    if let version {
      metadata = [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: version]
    }
    if entered { metadata[HKMetadataKeyWasUserEntered] = true }
    return HKQuantitySample(
      type: Self.energyType, quantity: HKQuantity(unit: .kilocalorie(), doubleValue: kilocalories),
      start: moment(start), end: moment(start + duration), metadata: metadata)
  }

  private func builder(_ store: HKHealthStore) async throws -> HKWorkoutBuilder {
    let builder = HKWorkoutBuilder(healthStore: store, configuration: HKWorkoutConfiguration(), device: nil)
    try await builder.beginCollection(at: moment())
    return builder
  }

  private func sum(_ statistics: HKStatistics?) -> Double? {
    statistics?.sumQuantity()?.doubleValue(for: .kilocalorie())
  }

  private func workouts(in store: HKHealthStore) async throws -> [HKWorkout] {
    try await HKSampleQueryDescriptor(predicates: [.workout()], sortDescriptors: []).result(for: store)
  }

  /// Finishes the workout and returns its sum in several ways: from the builder, from the workout, and from
  /// the workout that is read again.
  private func finish(_ builder: HKWorkoutBuilder, _ store: HKHealthStore) async throws -> [Double?] {
    try await builder.endCollection(at: moment(600))
    let made = try #require(try await builder.finishWorkout())
    let found = try #require(try await workouts(in: store).first { $0 == made })
    return [
      sum(made.statistics(for: Self.energyType)), made.totalEnergyBurned?.doubleValue(for: .kilocalorie()),
      sum(found.statistics(for: Self.energyType)),
      found.totalEnergyBurned?.doubleValue(for: .kilocalorie()),
    ]
  }

  // MARK: - Several sources

  @Test(arguments: StoreDepth.allCases)
  func `if two sources measured the same, one counts`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let (old, new) = (energy(10, at: 0), energy(50, at: 0))
      try await store.acting(as: HKSource(name: "Old", bundleIdentifier: "old")).save(old)
      try await store.acting(as: HKSource(name: "New", bundleIdentifier: "new")).save(new)
      let builder = try await builder(store)
      try await builder.addSamples([old])
      try await builder.addSamples([new, energy(7, at: 60)])
      // The newer source has priority. Samples from times that only the other source covers count too.
      #expect(sum(builder.statistics(for: Self.energyType)) == 57)
      #expect(try await finish(builder, store) == [57, 57, 57, 57])
    }
  }

  @Test func `values entered by the user have priority during a workout`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = try await builder(store)
    try await builder.addSamples([energy(70, at: 0), energy(5, at: 0, entered: true)])
    #expect(sum(builder.statistics(for: Self.energyType)) == 75)
    let other = store.acting(as: HKSource(name: "New", bundleIdentifier: "new"))
    let measured = energy(90, at: 100)
    try await other.save(measured)
    try await builder.addSamples([measured, energy(6, at: 100, entered: true)])
    #expect(sum(builder.statistics(for: Self.energyType)) == 81)
    #expect(try await finish(builder, store) == [81, 81, 81, 81])
  }

  // MARK: - Replaced, ignored, deleted

  @Test func `samples replaced, ignored or deleted during a workout do not count`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = try await builder(store)
    let gone = energy(100, at: 0)
    try await builder.addSamples([gone, energy(10, at: 120, version: 1)])
    try await builder.addSamples([energy(20, at: 120, version: 3)])
    try await builder.addSamples([energy(40, at: 120, version: 2)])
    #expect(sum(builder.statistics(for: Self.energyType)) == 120)
    try await store.delete(gone)
    try await store.save(energy(21, at: 120, version: 4))
    #expect(try await finish(builder, store) == [21, 21, 21, 21])
  }

  @Test func `the order in which samples are added does not matter`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = try await builder(store)
    let other = store.acting(as: HKSource(name: "Other", bundleIdentifier: "other"))
    // Add samples of two sources. Those of the other source are added later than newer samples. In the last
    // round, they are older than nearly all samples.
    var expected: [HKQuantitySample] = []
    for round in 0..<8 {
      let own = (0..<100).map { heartRate(60 + Double($0), at: Double(round * 100 + $0) / 10) }
      let late = (0..<100).map {
        heartRate(90, at: Double((round == 7 ? 0 : round) * 100 + $0) / 10 + 0.05, lasting: 0.01)
      }
      try await other.save(late)
      try await builder.addSamples(own)
      _ = builder.allStatistics
      try await builder.addSamples(late)
      expected += own + late
    }
    let query = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: heartRateType),
      options: [.discreteAverage, .discreteMin, .discreteMax, .mostRecent, .duration])
    let wanted = try #require(try await query.result(for: store))
    let found = try #require(builder.statistics(for: heartRateType))
    #expect(found.averageQuantity() == wanted.averageQuantity())
    #expect(found.maximumQuantity() == wanted.maximumQuantity() && found.duration() == wanted.duration())
    #expect(found.mostRecentQuantity() == wanted.mostRecentQuantity())
    #expect(found.startDate == wanted.startDate && found.endDate == wanted.endDate)
  }

  @Test(arguments: StoreDepth.allCases)
  func `a live builder does not restore or count deleted samples`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withStore { store in try await collectWhatIsDeleted(in: store) }
  }

  private func collectWhatIsDeleted(in store: HKHealthStore) async throws {
    let session = try HKWorkoutSession(healthStore: store, configuration: HKWorkoutConfiguration())
    let builder = session.associatedWorkoutBuilder()
    let source = HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: nil)
    source.enableCollection(for: heartRateType, predicate: nil)
    builder.dataSource = source
    session.startActivity(with: moment())
    try await builder.beginCollection(at: moment())
    let strap = store.acting(as: HKSource(name: "Strap", bundleIdentifier: "strap"))
    // Delete each sample right after it is saved, so that the builder sees some of them before and some after
    // the deletion.
    for second in 0..<25 {
      let sample = heartRate(200, at: Double(second) + 0.5)
      try await strap.save([sample, heartRate(60, at: Double(second))])
      try await strap.delete(sample)
    }
    while builder.statistics(for: heartRateType)?.sampleCount != 25
      || builder.statistics(for: heartRateType)?.maximumQuantity()?.doubleValue(for: beatsPerMinute) != 60
    {
      try await Task.sleep(for: .milliseconds(5))
    }
    session.stopActivity(with: moment(600))
    try await builder.endCollection(at: moment(600))
    let workout = try #require(try await builder.finishWorkout())
    session.end()
    #expect(workout.statistics(for: heartRateType)?.sampleCount == 25)
    let stored = try await everyHeartRate().result(for: store)
    #expect(stored.values == Array(repeating: 60, count: 25))
    #expect(Set(stored.map(\.sourceRevision.source.bundleIdentifier)) == ["strap"])
  }

  // MARK: - Versions of a workout

  private func finishVersion(
    _ version: Int, _ samples: [HKSample], in store: HKHealthStore
  ) async throws -> HKWorkout {
    let builder = try await builder(store)
    try await builder.addMetadata([HKMetadataKeySyncIdentifier: "w", HKMetadataKeySyncVersion: version])
    try await builder.addSamples(samples)
    try await builder.endCollection(at: moment(600))
    return try #require(try await builder.finishWorkout())
  }

  @Test(arguments: StoreDepth.allCases)
  func `finishing a workout whose version is stored adds its samples to the stored one`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withStore { store in
      let first = try await finishVersion(2, [energy(10, at: 0)], in: store)
      for version in [2, 1] {
        let again = try await finishVersion(version, [energy(20, at: Double(version) * 60)], in: store)
        #expect(again == first)
      }
      let found = try await workouts(in: store)
      #expect(found == [first])
      #expect(sum(found.first?.statistics(for: Self.energyType)) == 50)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a new version inherits the samples, routes and effort of a workout`(_ depth: StoreDepth) async throws
  {
    try await depth.withStore { store in
      let builder = try await builder(store)
      try await builder.addMetadata([HKMetadataKeySyncIdentifier: "w", HKMetadataKeySyncVersion: 1])
      try await builder.addSamples([energy(10, at: 0)])
      let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
      try await route.insertRouteData(WorkoutRouteTests.places(3))
      try await builder.endCollection(at: moment(600))
      let old = try #require(try await builder.finishWorkout())
      let effort = HKQuantitySample(
        type: HKQuantityType(.workoutEffortScore),
        quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: 5), start: moment(), end: moment(600))
      try await store.relateWorkoutEffortSample(effort, with: old, activity: nil)
      var changes = HKWorkoutEffortRelationshipQueryDescriptor(predicate: nil, anchor: nil, option: .default)
        .results(for: store).makeAsyncIterator()
      #expect(try await changes.next()?.relationships.map(\.workout) == [old])

      let new = try await finishVersion(2, [energy(20, at: 60)], in: store)
      #expect(try await workouts(in: store) == [new] && new != old)
      #expect(sum(try await workouts(in: store).first?.statistics(for: Self.energyType)) == 30)
      let predicate = HKQuery.predicateForObjects(from: new)
      let routes = try await HKSampleQueryDescriptor(
        predicates: [.workoutRoute(predicate)], sortDescriptors: []
      ).result(for: store)
      #expect(routes.map(\.count) == [3])
      // A query for effort relationships reports the new version of the workout as a change.
      let relationships = try #require(try await changes.next()).relationships
      #expect(relationships.map(\.workout) == [new] && relationships.first?.samples == [effort])
      // The old workout object now refers to the new version.
      try await store.addSamples([energy(40, at: 120)], to: old)
      #expect(sum(try await workouts(in: store).first?.statistics(for: Self.energyType)) == 70)
    }
  }

  // MARK: - Series

  @Test func `a series whose save failed can be finished again, unless it was discarded`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: false, HKSeriesType.heartbeat())
      func beats() async throws -> HKHeartbeatSeriesBuilder {
        let builder = HKHeartbeatSeriesBuilder(healthStore: application.store, device: nil, start: moment())
        for beat in 1...3 { try await builder.addHeartbeat(at: Double(beat), precededByGap: false) }
        return builder
      }
      let (kept, discarded) = (try await beats(), try await beats())
      for builder in [kept, discarded] {
        await expectFailure(.errorAuthorizationDenied) { try await builder.finishSeries() }
      }
      discarded.discard()
      try await kept.addHeartbeat(at: 4, precededByGap: false)
      try await application.decide(share: true, HKSeriesType.heartbeat())
      #expect(try await kept.finishSeries().count == 4)
      await expectFailure(.errorInvalidArgument) { try await discarded.finishSeries() }
    }
  }

  @Test func `locations inserted while a route is being finished are saved or reported as an error`()
    async throws
  {
    for _ in 0..<4 {
      let store = try HKHealthStore.inMemory()
      let builder = try await builder(store)
      let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
      try await route.insertRouteData(WorkoutRouteTests.places(1))
      try await builder.endCollection(at: moment(600))
      async let finished = builder.finishWorkout()
      var taken = 1
      while (try? await route.insertRouteData(WorkoutRouteTests.places(1, from: Double(taken)))) != nil {
        taken += 1
        await Task.yield()
      }
      _ = try await finished
      let routes = try await HKSampleQueryDescriptor(predicates: [.workoutRoute()], sortDescriptors: [])
        .result(for: store)
      #expect(routes.map(\.count) == [taken])
    }
  }
}
