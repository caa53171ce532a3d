import HealthStorage
import Ingestion

/// What became known of the clock and the store refused, though it could be written to: what is stored may be
/// such that it cannot be marked. That says nothing of measurements, and holds none up.
///
/// Time alone does not mend it, so it is tried again with each batch that the store takes: nothing else
/// would, and as each of those is one occasion, there is an end to it. It is told once.
struct RefusedClockChanges {
  private var batches: [SampleBatch] = []
  /// So many of them, from the first on, are to be tried before the next occasion.
  private var due = 0
  /// What is tried at this moment was refused before.
  private var isRetry = false
  private var news: (any Error)?
  /// Why the last of them was refused.
  private(set) var reason: (any Error)?

  /// How many are not stored, and not being tried.
  var count: Int { batches.count }

  /// There are some to try now.
  var hasOccasion: Bool { due > 0 }

  /// Samples that were stored while the clock was ahead are not marked for want of one of these.
  var hasCorrections: Bool { batches.contains { $0.changes.clock?.corrections.isEmpty == false } }

  /// The store has taken a batch.
  mutating func noteOccasion() {
    due = batches.count
    isRetry = false
  }

  /// The next that is to be tried, before anything that came after it.
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

  /// These were not even tried, or not taken for another reason.
  mutating func add(_ batches: [SampleBatch]) { self.batches += batches }

  /// Why one was refused that was not told yet.
  mutating func takeNews() -> (any Error)? {
    defer { news = nil }
    return news
  }
}
