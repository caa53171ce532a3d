import HealthStorage
import Ingestion

/// Clock changes that the store rejected although it can be written to, for instance because stored samples
/// cannot be marked. They do not delay measurements.
///
/// Each batch that the store accepts triggers one retry of all of them: waiting alone would not help, and
/// there are no retries without progress. A rejection is reported once.
struct RefusedClockChanges {
  private var batches: [SampleBatch] = []
  /// The number of batches, from the first on, to retry now.
  private var due = 0
  /// Whether the batch in the running attempt was rejected before.
  private var isRetry = false
  private var news: (any Error)?
  /// The error of the last rejection.
  private(set) var reason: (any Error)?

  /// The number of changes that are not stored and not being retried.
  var count: Int { batches.count }

  /// Whether there are changes to retry now.
  var hasOccasion: Bool { due > 0 }

  /// Whether a pending change would mark samples that were stored while the clock was ahead.
  var hasCorrections: Bool { batches.contains { $0.changes.clock?.corrections.isEmpty == false } }

  /// Schedules a retry, because the store has accepted a batch.
  mutating func noteOccasion() {
    due = batches.count
    isRetry = false
  }

  /// Returns the next change to retry. It goes before all newer batches.
  mutating func takeNext() -> SampleBatch? {
    isRetry = due > 0
    guard due > 0 else { return nil }
    due -= 1
    return batches.removeFirst()
  }

  mutating func refuse(_ batch: SampleBatch, _ error: any Error) {
    if !isRetry { news = error }
    reason = error
    batches.append(batch)
  }

  /// Adds changes that were not tried, or failed for another reason.
  mutating func add(_ batches: [SampleBatch]) { self.batches += batches }

  /// Returns the error of a rejection that was not reported yet.
  mutating func takeUpdates() -> (any Error)? {
    defer { news = nil }
    return news
  }
}
