import HealthKit

/// The three questions that the application asks the store, and how it learns when to ask again.
struct HeartRateHistory {
  /// What happened since the last look.
  struct Changes {
    /// How many are shown one by one.
    static let few = 5

    /// The last few by their dates, in that order.
    private(set) var latest: [HKQuantitySample] = []
    private(set) var added = 0
    /// Of a deleted sample nothing is left but its UUID.
    private(set) var deleted = 0

    var isMany: Bool { added + deleted > Self.few }

    /// Counts what came, and keeps what is shown.
    fileprivate mutating func take(_ samples: [HKQuantitySample], deleted count: Int) {
      latest = (latest + samples).sorted { $0.startDate < $1.startDate }.suffix(Self.few)
      added += samples.count
      deleted += count
    }
  }

  private let healthStore: HKHealthStore
  private let heartRate = HKQuantityType(.heartRate)
  /// How far the last look reached. A program that keeps it over its end (it can be archived) goes on where
  /// it was.
  private var anchor: HKQueryAnchor?

  init(healthStore: HKHealthStore) {
    self.healthStore = healthStore
  }

  /// The latest samples, the latest first.
  func latest(_ count: Int) async throws -> [HKQuantitySample] {
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: heartRate)],
      sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: count)
    return try await query.result(for: healthStore)
  }

  /// Statistics of each of the last hours, those without samples among them.
  func hours(_ count: Int, endingWith date: Date) async throws -> [HKStatistics] {
    let start = date.addingTimeInterval(-3600 * Double(count - 1))
    let anHourBefore = HKQuery.predicateForSamples(
      withStart: start.addingTimeInterval(-3600), end: nil, options: .strictStartDate)
    let query = HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: heartRate, predicate: anHourBefore),
      options: [.discreteMin, .discreteAverage, .discreteMax],
      anchorDate: Calendar.current.startOfDay(for: date), intervalComponents: DateComponents(hour: 1))
    var hours: [HKStatistics] = []
    try await query.result(for: healthStore).enumerateStatistics(from: start, to: date) { statistics, _ in
      hours.append(statistics)
    }
    return hours
  }

  /// How much is asked for at once: years of heart rates do not fit into memory.
  private static let pageSize = 4096

  /// What was added and deleted since the last call; in the first, what there is.
  mutating func changes() async throws -> Changes {
    var changes = Changes()
    var isWhole = false
    while !isWhole {
      let query = HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: heartRate)], anchor: anchor, limit: Self.pageSize)
      let result = try await query.result(for: healthStore)
      anchor = result.newAnchor
      changes.take(result.addedSamples, deleted: result.deletedObjects.count)
      isWhole = result.addedSamples.count + result.deletedObjects.count < Self.pageSize
    }
    return changes
  }

  /// One element at once, and then one after changes, whatever program made them. An observer says that
  /// something changed and not what: ``changes()`` does.
  func updates() -> AsyncThrowingStream<Void, any Error> {
    // Whoever is late needs to look once only.
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let query = HKObserverQuery(sampleType: heartRate, predicate: nil) { _, done, error in
        if let error { continuation.finish(throwing: error) } else { continuation.yield() }
        done()
      }
      continuation.onTermination = { [healthStore] _ in healthStore.stop(query) }
      healthStore.execute(query)
    }
  }
}
