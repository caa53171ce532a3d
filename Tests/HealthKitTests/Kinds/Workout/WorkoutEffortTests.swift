import HealthKit
import Testing

/// Tests effort samples that are related to a workout or to one of its activities (docs/healthkit-rules.md,
/// §6.1, §7.5).
@Suite(.timeLimit(.minutes(30))) struct WorkoutEffortTests {
  private static let given = HKQuantityType(.workoutEffortScore)
  private static let estimated = HKQuantityType(.estimatedWorkoutEffortScore)

  private func effort(
    _ score: Double, at start: Double = 0, _ type: HKQuantityType = given, version: Int? = nil
  ) -> HKQuantitySample {
    let sync: [String: Any]? = version.map {
      [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: $0]
    }
    return HKQuantitySample(
      type: type, quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: score), start: moment(start),
      end: moment(start + 60), metadata: sync)
  }

  /// Returns a workout with two activities.
  private func workout(in store: HKHealthStore) async throws -> HKWorkout {
    let builder = HKWorkoutBuilder(healthStore: store, configuration: HKWorkoutConfiguration(), device: nil)
    try await builder.beginCollection(at: moment())
    for start in [0.0, 300] {
      try await builder.addWorkoutActivity(
        HKWorkoutActivity(
          workoutConfiguration: HKWorkoutConfiguration(), start: moment(start), end: moment(start + 300),
          metadata: nil))
    }
    try await builder.endCollection(at: moment(600))
    return try #require(try await builder.finishWorkout())
  }

  private func relationships(
    in store: HKHealthStore, _ predicate: NSPredicate? = nil,
    _ option: HKWorkoutEffortRelationshipQueryOptions = .default
  ) async throws -> [HKWorkoutEffortRelationship] {
    try await HKWorkoutEffortRelationshipQueryDescriptor(predicate: predicate, anchor: nil, option: option)
      .result(for: store).relationships
  }

  private func related(
    _ workout: HKWorkout, _ activity: HKWorkoutActivity?, in store: HKHealthStore
  ) async throws -> Set<HKSample> {
    let predicate = HKQuery.predicateForWorkoutEffortSamplesRelated(workout: workout, activity: activity)
    return Set(
      try await HKSampleQueryDescriptor(
        predicates: [Self.given, Self.estimated].map { .sample(type: $0, predicate: predicate) },
        sortDescriptors: []
      ).result(for: store))
  }

  @Test(arguments: StoreDepth.allCases)
  func `a sample is related to a workout or an activity, and saved with it`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withStore { store in
      let workout = try await workout(in: store)
      let (first, second) = (workout.workoutActivities[0], workout.workoutActivities[1])
      let (whole, part) = (effort(5), effort(7))
      try await store.relateWorkoutEffortSample(whole, with: workout, activity: nil)
      try await store.relateWorkoutEffortSample(part, with: workout, activity: first)
      let all = try await relationships(in: store)
      #expect(all.map(\.workout) == [workout, workout])
      #expect(all.map(\.activity) == [nil, first])
      #expect(all.map(\.samples) == [[whole], [part]])
      #expect(try await related(workout, nil, in: store) == [whole, part])
      #expect(try await related(workout, first, in: store) == [part])
      #expect(try await related(workout, second, in: store).isEmpty)
      // Relating the same sample again moves it to another activity.
      try await store.relateWorkoutEffortSample(part, with: workout, activity: second)
      #expect(try await related(workout, first, in: store).isEmpty)
      #expect(try await related(workout, second, in: store) == [part])
    }
  }

  @Test func `a relationship can end, and the sample is kept`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    let sample = effort(5)
    try await store.relateWorkoutEffortSample(sample, with: workout, activity: workout.workoutActivities[0])
    await expectFailure(.errorInvalidArgument) {
      // This fails, because the sample is related to an activity and not to the entire workout.
      try await store.unrelateWorkoutEffortSample(sample, from: workout, activity: nil)
    }
    try await store.unrelateWorkoutEffortSample(sample, from: workout, activity: workout.workoutActivities[0])
    #expect(try await relationships(in: store).isEmpty)
    let samples = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: Self.given)], sortDescriptors: []
    ).result(for: store)
    #expect(samples == [sample])
  }

  @Test
  func `other types, activities of other workouts and unsaved workouts are rejected`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let (one, other) = (try await workout(in: store), try await workout(in: store))
    let unsaved = HKWorkout(activityType: .running, start: moment(), end: moment(600))
    func refuse(
      _ sample: HKSample, _ workout: HKWorkout, _ activity: HKWorkoutActivity?,
      _ location: SourceLocation = #_sourceLocation
    ) async {
      do {
        try await store.relateWorkoutEffortSample(sample, with: workout, activity: activity)
        Issue.record("related", sourceLocation: location)
      } catch {
        #expect((error as? HKError)?.code == .errorInvalidArgument, sourceLocation: location)
      }
    }
    await refuse(heartRate(60, at: 0), one, nil)
    await refuse(effort(5), one, other.workoutActivities[0])
    await refuse(effort(5), unsaved, nil)
    #expect(try await relationships(in: store).isEmpty)
    #expect(try await related(one, nil, in: store).isEmpty)
  }

  @Test func `a replacement inherits the relationships of the sample`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    let activity = workout.workoutActivities[1]
    try await store.relateWorkoutEffortSample(effort(5, version: 1), with: workout, activity: activity)
    let better = effort(8, version: 2)
    try await store.save(better)
    #expect(try await related(workout, activity, in: store) == [better])
    #expect(try await relationships(in: store).map(\.activity) == [activity])
  }

  @Test func `the most relevant sample is the last of the user, otherwise the last estimate`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    func mostRelevant() async throws -> [HKSample]? {
      try await relationships(in: store, nil, .mostRelevant).first?.samples
    }
    let guesses = [effort(3, at: 60, Self.estimated), effort(2, at: 0, Self.estimated)]
    for guess in guesses { try await store.relateWorkoutEffortSample(guess, with: workout, activity: nil) }
    #expect(try await mostRelevant() == [guesses[0]])
    let said = effort(9, at: 0)
    try await store.relateWorkoutEffortSample(said, with: workout, activity: nil)
    #expect(try await mostRelevant() == [said])
    #expect(try await relationships(in: store).first?.samples?.count == 3)
  }

  @Test func `a predicate applies to workouts`() async throws {
    let store = try HKHealthStore.inMemory()
    let (one, other) = (try await workout(in: store), try await workout(in: store))
    try await store.relateWorkoutEffortSample(effort(1), with: one, activity: nil)
    try await store.relateWorkoutEffortSample(effort(2), with: other, activity: nil)
    let found = try await relationships(in: store, HKQuery.predicateForObject(with: other.uuid))
    #expect(found.map(\.workout) == [other])
  }

  @Test(arguments: StoreDepth.allCases)
  func `an anchored query returns new relationships with all their samples`(_ depth: StoreDepth) async throws
  {
    try await depth.withStore { store in
      let (one, other) = (try await workout(in: store), try await workout(in: store))
      let early = effort(1)
      try await store.save(early)
      try await store.relateWorkoutEffortSample(effort(2), with: other, activity: nil)
      let (answers, continuation) = AsyncStream<(Int?, HKQueryAnchor?)>.makeStream()
      store.execute(
        HKWorkoutEffortRelationshipQuery(predicate: nil, anchor: nil, options: .default) {
          _, relationships, anchor, _ in
          continuation.yield((relationships?.count, anchor))
          continuation.finish()
        })
      let answer = try #require(await answers.first { _ in true })
      #expect(answer.0 == 1)
      // Relate an older sample after the query. The later query reports it.
      try await store.relateWorkoutEffortSample(early, with: one, activity: nil)
      let later = HKWorkoutEffortRelationshipQueryDescriptor(
        predicate: nil, anchor: answer.1, option: .default)
      #expect(try await later.result(for: store).relationships.map(\.workout) == [one])
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `results continue with new relationships`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let workout = try await workout(in: store)
      let descriptor = HKWorkoutEffortRelationshipQueryDescriptor(
        predicate: nil, anchor: nil, option: .default)
      var results = descriptor.results(for: store).makeAsyncIterator()
      #expect(try await results.next()?.relationships.isEmpty == true)
      // Saving a sample does not relate it to a workout.
      try await store.save(effort(1))
      let sample = effort(2)
      try await store.relateWorkoutEffortSample(sample, with: workout, activity: nil)
      #expect(try await results.next()?.relationships.map(\.samples) == [[sample]])
    }
  }

  @Test func `an application sees only effort samples that it may read`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let workout = try await workout(in: application.system)
      let (said, guess) = (effort(5), effort(3, Self.estimated))
      for sample in [said, guess] {
        try await application.system.relateWorkoutEffortSample(sample, with: workout, activity: nil)
      }
      await expectFailure(.errorAuthorizationNotDetermined) { try await relationships(in: application.store) }
      try await application.decide(read: true, HKObjectType.workoutType(), Self.given)
      try await application.decide(read: false, Self.estimated)
      #expect(try await relationships(in: application.store).map(\.samples) == [[said]])
      try await application.decide(read: false, HKObjectType.workoutType())
      #expect(try await relationships(in: application.store).isEmpty)
    }
  }

  @Test func `a relationship can be archived`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    try await store.relateWorkoutEffortSample(
      effort(5), with: workout, activity: workout.workoutActivities[0])
    let relationship = try #require(try await relationships(in: store).first)
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: relationship, requiringSecureCoding: true)
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HKWorkoutEffortRelationship.self, from: archive)
        == relationship)
  }
}
