public import HealthKit
import HealthStorage

/// A dry run of an import: counts what recordings would add to a store, without changing it.
///
/// Several recordings are counted as if each were stored before the next. Their samples go into an unnamed
/// temporary file, which is deleted when this object is released.
public struct Rehearsal: Sendable {
  /// The store in which existing samples are looked up; `nil` for an empty one.
  let store: HKHealthStore?
  /// The temporary store for the samples of the recordings.
  let stage: HKHealthStore

  /// - Parameter store: The store with full access; `nil` for an empty one.
  /// - Throws: The store's error if the temporary file cannot be created.
  public init(of store: HKHealthStore?) throws {
    self.store = store
    stage = try .unnamed()
  }
}

extension SampleBatch {
  /// Returns the result that `save(to:as:)` would have.
  /// - Throws: The store's error.
  func rehearse(in rehearsal: Rehearsal) async throws -> Outcome {
    guard let store = rehearsal.store else { return try await save(to: rehearsal.stage, as: .segments) }
    var fresh = self
    let settled = try await store.settledUUIDs(among: series)
    for place in fresh.groups.indices {
      fresh.groups[place].series.removeAll { settled.contains($0.uuid) }
      fresh.groups[place].measured = try await store.unsaved(of: groups[place].measured)
    }
    var outcome = try await fresh.save(to: rehearsal.stage, as: .segments)
    outcome.duplicates += heartRates - fresh.heartRates
    return outcome
  }
}
