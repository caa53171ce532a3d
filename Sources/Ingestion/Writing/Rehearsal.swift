public import HealthKit
import HealthStorage

/// A dry run: counts what recordings would add to a store, without changing it.
///
/// Recordings that share a rehearsal are counted as if each had been stored before the next. Their samples
/// are held in an unnamed temporary file, which is deleted with this object.
public struct Rehearsal: Sendable {
  /// The store that is searched for existing samples.
  let store: HKHealthStore?
  /// The temporary store for the samples.
  let stage: HKHealthStore

  /// - Parameter store: The system's handle on the store; `nil` for an empty one.
  /// - Throws: The store's error if the temporary file cannot be created.
  public init(of store: HKHealthStore?) throws {
    self.store = store
    stage = try .unnamed()
  }
}

extension SampleBatch {
  /// Returns the outcome that `save(to:)` would have.
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
