package import Foundation
import HealthKit
import HealthStorage

/// Compacts all old samples of a store into segments. Each segment holds an hour of compressed samples.
package struct StoreCompaction: Sendable {
  /// The result of a compaction.
  package struct Report: Sendable {
    /// The number of samples that were compacted.
    package var packed: Int
    /// The number of segments written: one per hour, source and kind of sample.
    package var hours: Int
    /// The number of hours that could not be compacted because of an error.
    package var left: Int
    /// The last hour that could not be compacted and the reason. The text contains no measured values.
    package var reason: String?
    /// Whether no samples are left to compact.
    package var isDone: Bool
  }

  private let database: SampleDatabase
  private let clock: any Clock<Duration>

  /// Creates a compaction.
  /// - Parameter clock: The clock for the pauses in which other programs can write.
  package init(_ store: SystemStore, clock: any Clock<Duration> = .continuous) {
    database = store.database
    self.clock = clock
  }

  /// Returns an upper bound for the number of samples to compact.
  package func most() async throws -> Int {
    try await HKError.translating { try await database.rowCount() }
  }

  /// Compacts the samples of past hours.
  /// - Parameters:
  ///   - now: The current time, which determines which hours are over.
  ///   - goesOn: Called after each segment with the number of samples compacted so far. Compaction stops if
  ///     it returns false.
  /// - Throws: `HKError`. Samples that are already compacted remain compacted.
  package func run(at now: Date, while goesOn: (Int) -> Bool) async throws -> Report {
    try await HKError.translating { try await condense(at: now, goesOn) }
  }

  private func condense(at now: Date, _ goesOn: (Int) -> Bool) async throws -> Report {
    var (compactor, tally, isDone) = (Compactor(database), CompactionTally(), false)
    let time = Int64(now.timeIntervalSince1970 * 1e6)
    try await compactor.look()
    while goesOn(tally.rows) {
      let elapsed = clock.stopwatch()
      guard let step = try await compactor.step(at: time) else {
        isDone = true
        break
      }
      tally.add(step)
      // Pause for as long as the step took. A gateway waiting for the write lock polls it only occasionally,
      // so the lock must be free for a while.
      if case .packed = step, database.hasGateway {
        try await clock.sleep(for: elapsed())
      }
    }
    return Report(
      packed: tally.rows, hours: tally.hours, left: tally.left, reason: tally.reason, isDone: isDone)
  }
}
