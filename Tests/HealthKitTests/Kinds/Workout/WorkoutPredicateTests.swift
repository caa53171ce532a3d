import Testing

@testable import HealthKit

// The store of each test also contains a heart rate, which none of the predicates matches.

@Suite struct WorkoutPredicateTests {
  @available(*, deprecated)
  private func activity(
    _ type: HKWorkoutActivityType, _ start: Double, _ end: Double?
  ) -> HKWorkoutActivity {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = type
    return HKWorkoutActivity(
      workoutConfiguration: configuration, start: moment(start), end: end.map(moment), metadata: nil)
  }

  /// Returns the indexes of the matching workouts: a run, a ride without samples, a triathlon.
  @available(*, deprecated)
  private func places(_ predicate: NSPredicate) async throws -> [Int] {
    let store = try HKHealthStore.inMemory()
    let run = HKWorkout(
      activityType: .running, start: moment(0), end: moment(60), duration: 50,
      totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 100),
      totalDistance: HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: 10), metadata: nil)
    let ride = HKWorkout(activityType: .cycling, start: moment(100), end: moment(200))
    var parts = HKWorkout.Parts(activityType: .swimBikeRun)
    parts.activities = [
      activity(.swimming, 300, 310), activity(.cycling, 310, 350), activity(.running, 350, nil),
    ]
    parts.totals.swimmingStrokeCount = HKQuantity(unit: .count(), doubleValue: 7)
    parts.totals.flightsClimbed = HKQuantity(unit: .count(), doubleValue: 3)
    let triathlon = HKWorkout(
      parts, try SampleInterval(start: moment(300), end: moment(360), of: HKObjectType.workoutType()),
      ObjectOrigin())
    try await store.save([run, ride, triathlon, heartRate(1, at: 0)])
    #expect(!predicate.evaluate(with: heartRate(1, at: 0)))
    return try await found(predicate, .workout(), in: store).compactMap {
      [run, ride, triathlon].firstIndex(of: $0)
    }
  }

  @available(*, deprecated)
  @Test func `predicates for activity type, duration and totals`() async throws {
    #expect(try await places(HKQuery.predicateForWorkouts(with: .cycling)) == [1])
    #expect(try await places(HKQuery.predicateForWorkouts(with: .equalTo, duration: 50)) == [0])
    #expect(try await places(HKQuery.predicateForWorkouts(with: .greaterThan, duration: 55)) == [1, 2])
    let joules = HKQuantity(unit: .jouleUnit(with: .kilo), doubleValue: 418.4)
    #expect(
      try await places(HKQuery.predicateForWorkouts(with: .greaterThanOrEqualTo, totalEnergyBurned: joules))
        == [0])
    let metres = HKQuantity(unit: .meter(), doubleValue: 10_000)
    #expect(try await places(HKQuery.predicateForWorkouts(with: .equalTo, totalDistance: metres)) == [0])
    // The other workouts have no distance, so their distance is not equal to any. The distance of the run
    // cannot be compared with joules.
    #expect(
      try await places(HKQuery.predicateForWorkouts(with: .notEqualTo, totalDistance: metres)) == [1, 2])
    #expect(
      try await places(HKQuery.predicateForWorkouts(with: .notEqualTo, totalDistance: joules)) == [1, 2])
    #expect(try await places(HKQuery.predicateForWorkouts(with: .lessThan, totalDistance: metres)) == [])
    let five = HKQuantity(unit: .count(), doubleValue: 5)
    #expect(
      try await places(HKQuery.predicateForWorkouts(with: .greaterThan, totalSwimmingStrokeCount: five))
        == [2])
    #expect(
      try await places(HKQuery.predicateForWorkouts(with: .lessThan, totalFlightsClimbed: five)) == [2])
  }

  @available(*, deprecated)
  private func places(activity predicate: NSPredicate) async throws -> [Int] {
    try await places(HKQuery.predicateForWorkouts(activityPredicate: predicate))
  }

  @available(*, deprecated)
  @Test func `predicates for activities match if any activity does`() async throws {
    let cycling = HKQuery.predicateForWorkoutActivities(workoutActivityType: .cycling)
    let short = HKQuery.predicateForWorkoutActivities(operatorType: .lessThan, duration: 20)
    // A workout without explicit activities has one of its own type.
    #expect(try await places(activity: cycling) == [1, 2])
    #expect(try await places(activity: short) == [2])
    // Both conditions must hold for one activity.
    #expect(
      try await places(activity: NSCompoundPredicate(andPredicateWithSubpredicates: [cycling, short])) == [])
    #expect(try await places(activity: NSCompoundPredicate(notPredicateWithSubpredicate: cycling)) == [0, 2])
    #expect(try await places(activity: NSPredicate(value: true)) == [0, 1, 2])
  }

  @available(*, deprecated)
  @Test func `a window of activities is one of samples, and an ongoing activity has no end`() async throws {
    let all = [activity(.swimming, 0, 10), activity(.cycling, 10, 20), activity(.running, 20, nil)]
    func found(_ start: Double?, _ end: Double?, _ options: HKQueryOptions = []) -> [Int] {
      let predicate = HKQuery.predicateForWorkoutActivities(
        start: start.map(moment), end: end.map(moment), options: options)
      return all.indices.filter { predicate.evaluate(with: all[$0]) }
    }
    #expect(found(10, 20) == [0, 1])
    #expect(found(100, nil) == [2])
    #expect(found(10, 20, .strictStartDate) == [1])
    #expect(found(10, 20, .strictEndDate) == [0])
    #expect(found(nil, 100, .strictEndDate) == [0, 1])
    #expect(found(0, 20, [.strictStartDate, .strictEndDate]) == [0])
  }

  @available(*, deprecated)
  @Test func `a workout without samples of a type matches only notEqualTo`() async throws {
    let type = HKQuantityType(.heartRate)
    let rate = HKQuantity(unit: beatsPerMinute, doubleValue: 1)
    let predicates = [
      HKQuery.predicateForWorkouts(operatorType: .notEqualTo, quantityType: type, sumQuantity: rate),
      HKQuery.predicateForWorkouts(operatorType: .notEqualTo, quantityType: type, minimumQuantity: rate),
      HKQuery.predicateForWorkouts(operatorType: .notEqualTo, quantityType: type, maximumQuantity: rate),
      HKQuery.predicateForWorkouts(operatorType: .notEqualTo, quantityType: type, averageQuantity: rate),
    ]
    for predicate in predicates { #expect(try await places(predicate) == [0, 1, 2]) }
    let less = HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: type, sumQuantity: rate)
    #expect(try await places(less) == [])
    let activity = HKQuery.predicateForWorkoutActivities(
      operatorType: .notEqualTo, quantityType: type, sumQuantity: rate)
    #expect(try await places(activity: activity) == [0, 1, 2])
  }

  @available(*, deprecated)
  @Test func `each statistic is compared with its own kind`() throws {
    let rate = { HKQuantity(unit: beatsPerMinute, doubleValue: $0) }
    let statistics = HKStatistics(
      type: HKQuantityType(.heartRate), start: moment(), end: moment(1), count: 4,
      merged: HKStatistics.Figures(average: rate(2), minimum: rate(1), maximum: rate(3), sum: rate(4)),
      bySource: nil)
    let figures: [(FigureComparison.Figure, Double)] = [
      (.minimum, 1), (.average, 2), (.maximum, 3), (.sum, 4),
    ]
    for (figure, value) in figures {
      let type = HKQuantityType(.heartRate)
      #expect(FigureComparison(figure, type, .equalTo, rate(value)).holds { _ in statistics })
      #expect(!FigureComparison(figure, type, .notEqualTo, rate(value)).holds { _ in statistics })
      #expect(!FigureComparison(figure, type, .equalTo, rate(value)).holds { _ in nil })
      #expect(FigureComparison(figure, type, .notEqualTo, rate(value)).holds { _ in nil })
    }
  }
}
