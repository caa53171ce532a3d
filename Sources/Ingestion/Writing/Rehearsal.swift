public import HealthKit
import HealthStorage

/// What recordings would add to a store, which stays as it is.
///
/// Recordings that share a rehearsal are counted as if each had been stored before the next. What they
/// measured waits in a file without a name, which is gone with this object.
public struct Rehearsal: Sendable {
  /// Where it is asked what is stored already.
  let store: HKHealthStore?
  /// Takes what would be stored.
  let stage: HKHealthStore

  /// - Parameter store: The system's handle on the store; `nil` for one that has nothing yet.
  /// - Throws: The store's error, where there is no room for the file.
  public init(of store: HKHealthStore?) throws {
    self.store = store
    stage = try .unnamed()
  }
}

extension SampleBatch {
  /// Finds out what `save(to:)` would come to.
  /// - Throws: The store's error.
  func rehearse(in rehearsal: Rehearsal) async throws -> Outcome {
    guard let store = rehearsal.store else { return try await save(to: rehearsal.stage, as: .blocks) }
    var fresh = self
    let settled = try await store.settledUUIDs(among: series)
    for place in fresh.groups.indices {
      fresh.groups[place].series.removeAll { settled.contains($0.uuid) }
      fresh.groups[place].measured = try await store.unsaved(of: groups[place].measured)
    }
    var outcome = try await fresh.save(to: rehearsal.stage, as: .blocks)
    outcome.duplicates += heartRates - fresh.heartRates
    return outcome
  }
}
