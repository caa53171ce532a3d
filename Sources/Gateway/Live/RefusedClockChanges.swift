import HealthStorage
import Ingestion

/// Changes of the wall clock that the store rejected although it accepts measurements, for example because
/// stored samples cannot be changed. They do not hold up measurements.
///
/// After each successful commit, all of them are retried once. Only the first rejection is reported.
struct RefusedClockChanges {
  private var batches: [SampleBatch] = []
  /// The number of batches, from the first on, that are to be retried now.
  private var due = 0
  /// Whether the change being committed was rejected before.
  private var isRetry = false
  private var unreported: (any Error)?
  /// The error of the last rejection.
  private(set) var reason: (any Error)?

  /// The number of rejected changes that are not being retried now.
  var count: Int { batches.count }

  /// Whether there are changes to retry now.
  var hasOccasion: Bool { due > 0 }

  /// Whether one of the changes would mark samples that were stored while the clock was wrong.
  var hasCorrections: Bool { batches.contains { $0.changes.clock?.corrections.isEmpty == false } }

  /// Schedules a retry of all changes, because a commit succeeded.
  mutating func noteOccasion() {
    due = batches.count
    isRetry = false
  }

  /// Returns the next change to retry. It is committed before newer data.
  mutating func takeNext() -> SampleBatch? {
    isRetry = due > 0
    guard due > 0 else { return nil }
    due -= 1
    return batches.removeFirst()
  }

  mutating func refuse(_ batch: SampleBatch, _ error: any Error) {
    if !isRetry { unreported = error }
    reason = error
    batches.append(batch)
  }

  /// Adds changes that have not been tried yet, or whose commit failed for another reason.
  mutating func add(_ batches: [SampleBatch]) { self.batches += batches }

  /// Returns the error of a rejection that has not been reported yet, if any.
  mutating func drainUpdates() -> (any Error)? {
    defer { unreported = nil }
    return unreported
  }
}
