import HealthKit
import Testing

/// The page on series and workouts.
@Suite struct SeriesPrograms {
  private let store: HKHealthStore
  private let start = Date(timeIntervalSince1970: 1_767_261_600)

  init() throws { store = try .inMemory() }

  @Test func `beats come back as they were added`() async throws {
    let builder = HKHeartbeatSeriesBuilder(healthStore: store, device: .local(), start: start)
    try await builder.addHeartbeat(at: 0, precededByGap: true)
    try await builder.addHeartbeat(at: 0.8125, precededByGap: false)
    try await builder.addHeartbeat(at: 1.625, precededByGap: false)
    let series = try await builder.finishSeries()
    #expect(series.count == 3)
    var previous: TimeInterval?
    var intervals: [TimeInterval] = []
    for try await beat in HKHeartbeatSeriesQueryDescriptor(series).results(for: store) {
      if let previous, !beat.precededByGap { intervals.append(beat.timeIntervalSinceStart - previous) }
      previous = beat.timeIntervalSinceStart
    }
    #expect(intervals == [0.8125, 0.8125])
  }

  @Test func `a run without its pause is found`() async throws {
    let run = HKWorkout(
      activityType: .running, start: start, end: start + 1800,
      workoutEvents: [
        HKWorkoutEvent(
          type: .pause, dateInterval: DateInterval(start: start + 600, duration: 0), metadata: nil),
        HKWorkoutEvent(
          type: .resume, dateInterval: DateInterval(start: start + 900, duration: 0), metadata: nil),
      ],
      totalEnergyBurned: nil, totalDistance: nil, metadata: nil)
    try await store.save(run)
    #expect(run.duration == 1500)
    let long = NSCompoundPredicate(andPredicateWithSubpredicates: [
      HKQuery.predicateForWorkouts(with: .running),
      HKQuery.predicateForSamples(withStart: start - 86_400, end: nil),
    ])
    let runs = try await HKSampleQueryDescriptor(
      predicates: [.workout(long)], sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    #expect(runs.map(\.uuid) == [run.uuid])
  }
}
