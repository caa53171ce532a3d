import HealthKit
import Testing

/// Tests predicates on the statistics of workouts. The store and the evaluation in memory must agree.
@Suite(.timeLimit(.minutes(30))) struct WorkoutFigurePredicateTests {
  private let energy = HKQuantityType(.activeEnergyBurned)
  private let rate = HKQuantityType(.heartRate)

  private func quantity(_ type: HKQuantityType, _ value: Double, at start: Double) -> HKQuantitySample {
    let unit = type == energy ? HKUnit.kilocalorie() : beatsPerMinute
    return HKQuantitySample(
      type: type, quantity: HKQuantity(unit: unit, doubleValue: value), start: moment(start),
      end: moment(start + (type == energy ? 60 : 0)))
  }

  /// Saves and returns workouts. Workout n has energies with the sum 10 · n, and heart rates of 100 + n and
  /// 120 + n.
  private func workouts(in store: HKHealthStore) async throws -> [HKWorkout] {
    var workouts: [HKWorkout] = []
    for number in 0..<4 {
      let start = Double(number) * 1000
      let workout = HKWorkout(activityType: .running, start: moment(start), end: moment(start + 600))
      try await store.save(workout)
      workouts.append(workout)
      let n = Double(number)
      guard number > 0 else { continue }
      try await store.addSamples(
        [
          quantity(energy, 4 * n, at: start), quantity(energy, 6 * n, at: start + 60),
          quantity(rate, 100 + n, at: start), quantity(rate, 120 + n, at: start + 100),
        ], to: workout)
    }
    return workouts
  }

  private func kilocalories(_ value: Double) -> HKQuantity {
    HKQuantity(unit: .kilocalorie(), doubleValue: value)
  }

  private func beats(_ value: Double) -> HKQuantity { HKQuantity(unit: beatsPerMinute, doubleValue: value) }

  @available(*, deprecated)
  private var predicates: [(predicate: NSPredicate, expected: [Int])] {
    let more = HKQuery.predicateForWorkouts(
      operatorType: .greaterThan, quantityType: energy, sumQuantity: kilocalories(10))
    return [
      (more, [2, 3]),
      (NSCompoundPredicate(notPredicateWithSubpredicate: more), [0, 1]),
      (
        HKQuery.predicateForWorkouts(
          operatorType: .equalTo, quantityType: energy, sumQuantity: kilocalories(20)), [2]
      ),
      (
        HKQuery.predicateForWorkouts(
          operatorType: .lessThan, quantityType: rate, minimumQuantity: beats(102)), [1]
      ),
      (
        HKQuery.predicateForWorkouts(
          operatorType: .greaterThanOrEqualTo, quantityType: rate, maximumQuantity: beats(123)), [3]
      ),
      (
        HKQuery.predicateForWorkouts(
          operatorType: .lessThan, quantityType: rate, averageQuantity: beats(1)), []
      ),
      (
        NSCompoundPredicate(andPredicateWithSubpredicates: [
          more, HKQuery.predicateForSamples(withStart: moment(2700), end: nil),
        ]), [3]
      ),
    ]
  }

  @available(*, deprecated)
  @Test(arguments: StoreDepth.allCases)
  func `the store and memory find the same workouts`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let uuids = try await workouts(in: store).map(\.uuid)
      let all = try await HKSampleQueryDescriptor(
        predicates: [.workout()], sortDescriptors: [SortDescriptor(\.startDate)]
      ).result(for: store)
      for (predicate, expected) in predicates {
        let inMemory = all.filter { predicate.evaluate(with: $0) }.map(\.uuid)
        let found = try await HKSampleQueryDescriptor(
          predicates: [.workout(predicate)], sortDescriptors: [SortDescriptor(\.startDate)]
        ).result(for: store).map(\.uuid)
        #expect(found == expected.map { uuids[$0] }, "\(predicate)")
        #expect(inMemory == found, "\(predicate)")
      }
    }
  }

  @available(*, deprecated)
  @Test func `an anchored query supports them, too`() async throws {
    let store = try HKHealthStore.inMemory()
    let uuids = try await workouts(in: store).map(\.uuid)
    let query = HKAnchoredObjectQueryDescriptor(
      predicates: [.workout(predicates[0].predicate)], anchor: nil)
    #expect(try await query.result(for: store).addedSamples.map(\.uuid) == [uuids[2], uuids[3]])
    #expect(
      try await HKSourceQueryDescriptor(predicate: .workout(predicates[5].predicate)).result(for: store) == []
    )
    #expect(
      try await HKSourceQueryDescriptor(predicate: .workout(predicates[0].predicate)).result(for: store).count
        == 1)
  }

  @available(*, deprecated)
  @Test func `a deletion supports them, too`() async throws {
    let store = try HKHealthStore.inMemory()
    let uuids = try await workouts(in: store).map(\.uuid)
    let deleted = try await store.deleteObjects(
      of: HKObjectType.workoutType(), predicate: predicates[0].predicate)
    #expect(deleted == 2)
    let left = try await HKSampleQueryDescriptor(
      predicates: [.workout()], sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    #expect(left.map(\.uuid) == [uuids[0], uuids[1]])
  }

  /// Samples that may not be read do not count, in the store or in memory.
  @available(*, deprecated)
  @Test func typesThatMayNotBeReadDoNotCount() async throws {
    try await StoreDepth.memory.withApplication { app in
      _ = try await workouts(in: app.monitor)
      try await app.decide(read: true, HKObjectType.workoutType())
      try await app.decide(read: false, energy)
      let query = HKSampleQueryDescriptor(
        predicates: [.workout(predicates[0].predicate)], sortDescriptors: [])
      #expect(try await query.result(for: app.store) == [])
      try await app.decide(read: true, energy)
      #expect(try await query.result(for: app.store).count == 2)
    }
  }
}
