package import Foundation
import HealthKit
import HealthStorage

/// Compacts the old samples of a store into blocks, all at once.
package struct StoreCondensing: Sendable {
  /// The result of compaction.
  package struct Report: Sendable {
    /// The number of compacted samples.
    package var packed: Int
    /// The number of hours that contain them, per source and kind of sample.
    package var hours: Int
    /// The number of hours that could not be compacted.
    package var left: Int
    /// The last of these hours and the reason. The text contains no measured values.
    package var reason: String?
    /// Whether nothing is left to compact.
    package var isDone: Bool
  }

  private let database: SampleDatabase
  private let clock: any Clock<Duration>

  /// Creates a compaction.
  /// - Parameter clock: The clock for the pauses that let other programs write.
  package init(_ store: SystemStore, clock: any Clock<Duration> = .continuous) {
    database = store.database
    self.clock = clock
  }

  /// Returns the maximum number of samples that can be compacted.
  /// - Throws: `HKError`.
  package func most() async throws -> Int {
    try await HKError.translating { try await database.rowCount() }
  }

  /// Compacts samples.
  /// - Parameters:
  ///   - now: The current time, which determines the hours that are over.
  ///   - goesOn: Called after each hour of a kind with the number of compacted samples. Compaction stops if
  ///     it returns false.
  /// - Throws: `HKError`. Samples that are already compacted stay so.
  package func run(at now: Date, while goesOn: (Int) -> Bool) async throws -> Report {
    try await HKError.translating { try await condense(at: now, goesOn) }
  }

  private func condense(at now: Date, _ goesOn: (Int) -> Bool) async throws -> Report {
    var (condenser, tally, isDone) = (Condenser(database), CondensingTally(), false)
    let time = Int64(now.timeIntervalSince1970 * 1e6)
    try await condenser.look()
    while goesOn(tally.rows) {
      let elapsed = clock.stopwatch()
      guard let step = try await condenser.step(at: time) else {
        isDone = true
        break
      }
      tally.add(step)
      // Pause for as long as the step took. A waiting writer polls for the lock only now and then and must
      // find it free.
      if case .packed = step, database.hasGateway {
        try await clock.sleep(for: elapsed())
      }
    }
    return Report(
      packed: tally.rows, hours: tally.hours, left: tally.left, reason: tally.reason, isDone: isDone)
  }
}
