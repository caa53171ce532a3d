import HealthKit

/// The application's three queries, and an observer query that reports when to repeat them.
struct HeartRateHistory {
  /// The changes since the last query.
  struct Changes {
    /// Maximum number of samples that are printed.
    static let few = 5

    /// The latest samples, in ascending order of their start dates.
    private(set) var latest: [HKQuantitySample] = []
    private(set) var added = 0
    /// The number of deleted samples. Only their UUIDs are left.
    private(set) var deleted = 0

    var isMany: Bool { added + deleted > Self.few }

    /// Counts the changes and keeps the latest samples.
    fileprivate mutating func take(_ samples: [HKQuantitySample], deleted count: Int) {
      latest = (latest + samples).sorted { $0.startDate < $1.startDate }.suffix(Self.few)
      added += samples.count
      deleted += count
    }
  }

  private let healthStore: HKHealthStore
  private let heartRate = HKQuantityType(.heartRate)
  /// The anchor of the last query. An application can archive it to continue after a restart.
  private var anchor: HKQueryAnchor?

  init(healthStore: HKHealthStore) {
    self.healthStore = healthStore
  }

  /// Returns the latest samples in descending order of their start dates.
  func latest(_ count: Int) async throws -> [HKQuantitySample] {
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: heartRate)],
      sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: count)
    return try await query.result(for: healthStore)
  }

  /// Returns statistics of each of the last hours, including hours without samples.
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

  /// Maximum number of samples per query. Years of heart rates do not fit into memory.
  private static let pageSize = 4096

  /// Returns the additions and deletions since the last call. The first call returns all samples.
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

  /// Emits one element immediately, and one after each change by any program.
  ///
  /// An observer query reports that something changed, but not what. Call ``changes()`` for that.
  func updates() -> AsyncThrowingStream<Void, any Error> {
    // One pending update is enough, because `changes()` returns all changes at once.
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
