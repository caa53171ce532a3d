import Testing

@testable import HealthKit

/// Returns the samples that a predicate finds in a store, after comparing them with a search in memory.
func found<Sample: HKSample>(
  _ predicate: NSPredicate, _ all: HKSamplePredicate<Sample>, in store: HKHealthStore
) async throws -> [Sample] {
  func samples(_ predicate: NSPredicate?) async throws -> [Sample] {
    try await HKSampleQueryDescriptor(
      predicates: [HKSamplePredicate<Sample>(all.sampleType, predicate)],
      sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
  }
  let found = try await samples(predicate)
  #expect(found == (try await samples(nil)).filter { predicate.evaluate(with: $0) })
  return found
}

@Suite struct WindowPredicateTests {
  /// Returns the starts of the samples that a predicate for a time window finds. The samples are from 0 to 1,
  /// 1 to 2, 2 to 3 and 3 to 4 s, and one is at 2 s.
  private func starts(
    _ start: Double?, _ end: Double?, _ options: HKQueryOptions = []
  ) async throws -> [Double] {
    let store = try HKHealthStore.inMemory()
    try await store.save((0..<4).map { heartRate(Double($0), at: Double($0), lasting: 1) })
    try await store.save(heartRate(2.5, at: 2))
    let predicate = HKQuery.predicateForSamples(
      withStart: start.map(moment), end: end.map(moment), options: options)
    return try await found(predicate, .quantitySample(type: HKQuantityType(.heartRate)), in: store).values
  }

  @Test
  func `without options, the start of the window matches, and its end does not`()
    async throws
  {
    #expect(try await starts(1, 3) == [0, 1, 2, 2.5])
    #expect(try await starts(2.5, 2.6) == [2])
  }

  @Test func `strict options require the start, the end or both in the half-open window`()
    async throws
  {
    #expect(try await starts(1, 3, .strictStartDate) == [1, 2, 2.5])
    #expect(try await starts(1, 3, .strictEndDate) == [0, 1, 2.5])
    #expect(try await starts(1, 3, [.strictStartDate, .strictEndDate]) == [1, 2.5])
  }

  @Test func `a nil bound is open`() async throws {
    #expect(try await starts(nil, nil) == [0, 1, 2, 2.5, 3])
    #expect(try await starts(nil, 2) == [0, 1])
    #expect(try await starts(3, nil) == [2, 3])
    #expect(try await starts(2, nil, .strictStartDate) == [2, 2.5, 3])
    #expect(try await starts(nil, 2, .strictEndDate) == [0])
  }

  @Test func `a window beyond all dates of the store is empty, not open`() async throws {
    #expect(try await starts(1e300, nil) == [])
    #expect(try await starts(nil, -1e300) == [])
    #expect(try await starts(-1e300, 1e300) == [0, 1, 2, 2.5, 3])
  }
}

@Suite struct CompoundPredicateTests {
  private let heartRates = HKSamplePredicate<HKQuantitySample>.quantitySample(
    type: HKQuantityType(.heartRate))

  private func isRefused<Sample: HKSample>(
    _ predicate: NSPredicate, _ all: HKSamplePredicate<Sample>, in store: HKHealthStore
  ) async -> Bool {
    do {
      _ = try await found(predicate, all, in: store)
      return false
    } catch HKError.errorInvalidArgument {
      return true
    } catch {
      return false
    }
  }

  @Test func `constants and empty compounds are predicates, too`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(1, at: 0), heartRate(2, at: 1)])
    let late = HKQuery.predicateForSamples(withStart: moment(1), end: nil)
    let early = HKQuery.predicateForSamples(withStart: nil, end: moment(1))
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [late, early])
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [late, early])
    let (yes, no) = (NSPredicate(value: true), NSPredicate(value: false))
    let cases: [(NSPredicate, [Double])] = [
      (yes, [1, 2]), (no, []), (NSCompoundPredicate(andPredicateWithSubpredicates: []), [1, 2]),
      (NSCompoundPredicate(orPredicateWithSubpredicates: []), []),
      (NSCompoundPredicate(andPredicateWithSubpredicates: [yes, late]), [2]),
      (NSCompoundPredicate(orPredicateWithSubpredicates: [no, late]), [2]),
      (NSCompoundPredicate(notPredicateWithSubpredicate: late), [1]),
      (NSCompoundPredicate(notPredicateWithSubpredicate: both), [1, 2]),
      (NSCompoundPredicate(notPredicateWithSubpredicate: either), []),
    ]
    for (predicate, values) in cases {
      #expect(try await found(predicate, heartRates, in: store).values == values, "\(predicate)")
    }
  }

  /// Returns alternating AND and OR around a condition, which is the innermost one.
  private func nested(_ depth: Int, _ innermost: NSPredicate) -> NSPredicate {
    (0..<depth).reduce(innermost) { inner, number in
      NSCompoundPredicate(
        type: number % 2 == 0 ? .and : .or,
        subpredicates: [HKQuery.predicateForObjects(withMetadataKey: number % 2 == 0 ? "k" : "none"), inner])
    }
  }

  @Test(arguments: [false, true])
  func `a tree of usual depth works in every query, and a deeper one is rejected`(isNot: Bool)
    async throws
  {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      heartRate(1, at: 0, metadata: ["k": "a"]), heartRate(2, at: 1, metadata: ["k": "b"]),
    ])
    let condition = HKQuery.predicateForObjects(withMetadataKey: "k", allowedValues: ["b"])
    let innermost = isNot ? NSCompoundPredicate(notPredicateWithSubpredicate: condition) : condition
    let tree = nested(isNot ? 15 : 16, innermost)
    #expect(try await found(tree, heartRates, in: store).values == [isNot ? 1 : 2])
    let statistics = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.heartRate), predicate: tree), options: .discreteMax)
    #expect(
      try await statistics.result(for: store)?.maximumQuantity()
        == HKQuantity(unit: beatsPerMinute, doubleValue: isNot ? 1 : 2))
    let changes = HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate), predicate: tree)], anchor: nil)
    #expect(try await changes.result(for: store).addedSamples.values == [isNot ? 1 : 2])
    #expect(try await store.deleteObjects(of: HKQuantityType(.heartRate), predicate: tree) == 1)
    #expect(await isRefused(nested(17, innermost), heartRates, in: store))
    #expect(await isRefused(nested(5000, innermost), heartRates, in: store))
  }

  @Test func `a deep predicate on the members of a correlation works, too`() async throws {
    let store = try HKHealthStore.inMemory()
    let systolic = HKQuantitySample(
      type: HKQuantityType(.bloodPressureSystolic),
      quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 120), start: moment(), end: moment(),
      metadata: ["k": "a"])
    let type = HKCorrelationType(.bloodPressure)
    try await store.save(HKCorrelation(type: type, start: moment(), end: moment(), objects: [systolic]))
    let tree = nested(16, HKQuery.predicateForObjects(withMetadataKey: "k", allowedValues: ["a"]))
    let found = await withCheckedContinuation { continuation in
      store.execute(
        HKCorrelationQuery(
          type: type, predicate: nil, samplePredicates: [systolic.quantityType: tree]
        ) { _, found, _ in continuation.resume(returning: found) })
    }
    #expect(found?.count == 1)
  }

  @Test func `conditions added one by one do not make a predicate deep`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(1, at: 0), heartRate(2, at: 90)])
    let all = (0..<90).reduce(NSPredicate(value: true)) {
      let later = HKQuery.predicateForSamples(withStart: moment(Double($1)), end: nil)
      return NSCompoundPredicate(andPredicateWithSubpredicates: [$0, later])
    }
    #expect(try await found(all, heartRates, in: store).values == [2])
    let not = (0..<91).reduce(all) { inner, _ in NSCompoundPredicate(notPredicateWithSubpredicate: inner) }
    #expect(await isRefused(not, heartRates, in: store))
  }

  @Test func `a deep predicate on activities works, too`() async throws {
    let store = try HKHealthStore.inMemory()
    var parts = HKWorkout.Parts(activityType: .running)
    parts.activities = [
      HKWorkoutActivity(
        workoutConfiguration: HKWorkoutConfiguration(), start: moment(), end: moment(1), metadata: nil)
    ]
    let interval = try SampleInterval(start: moment(), end: moment(2), of: HKObjectType.workoutType())
    try await store.save(HKWorkout(parts, interval, ObjectOrigin()))
    let other = HKQuery.predicateForWorkoutActivities(workoutActivityType: .other)
    func tree(_ depth: Int) -> NSPredicate {
      (0..<depth).reduce(other) { inner, _ in NSCompoundPredicate(notPredicateWithSubpredicate: inner) }
    }
    for (depth, count) in [(98, 1), (99, 0)] {
      let predicate = HKQuery.predicateForWorkouts(activityPredicate: tree(depth))
      #expect(try await found(predicate, .workout(), in: store).count == count)
    }
    #expect(
      await isRefused(HKQuery.predicateForWorkouts(activityPredicate: tree(101)), .workout(), in: store))
  }

  @Test func `a predicate for other objects is rejected in a sample query`() async throws {
    let store = try HKHealthStore.inMemory()
    let activities = HKQuery.predicateForWorkoutActivities(workoutActivityType: .running)
    let others = [
      activities, HKQuery.predicateForUserAnnotatedMedications(isArchived: true),
      NSCompoundPredicate(notPredicateWithSubpredicate: activities),
      HKQuery.predicateForWorkouts(activityPredicate: NSPredicate { _, _ in true }),
      HKQuery.predicateForWorkouts(activityPredicate: HKQuery.predicateForObject(with: UUID())),
    ]
    for predicate in others {
      #expect(await isRefused(predicate, .workout(), in: store))
    }
  }

  @Test func `equal predicates are equal, and copies are the same object`() {
    let pairs: [(NSPredicate, NSPredicate)] = [
      (
        HKQuery.predicateForMedicationDoseEvent(statuses: [.taken, .skipped, .snoozed]),
        HKQuery.predicateForMedicationDoseEvent(statuses: [.snoozed, .taken, .skipped])
      ),
      (
        HKQuery.predicateForWorkoutActivities(workoutActivityType: .running),
        HKQuery.predicateForWorkoutActivities(workoutActivityType: .running)
      ),
      (
        HKQuery.predicateForObjects(withMetadataKey: "k", allowedValues: [1]),
        HKQuery.predicateForObjects(withMetadataKey: "k", allowedValues: [1])
      ),
    ]
    for (one, other) in pairs {
      #expect(one == other && one.hash == other.hash)
      #expect(one.copy() as? NSPredicate === one)
    }
    #expect(
      HKQuery.predicateForWorkoutActivities(workoutActivityType: .running)
        != HKQuery.predicateForWorkoutActivities(workoutActivityType: .cycling))
  }
}
