import Foundation
import HealthStorage

extension HKHealthStore {
  /// As `addSamples(_:to:)`.
  func associate(_ samples: [HKSample], with workout: HKWorkout) async throws {
    try await save(
      samples, associating: samples.map(\.uuid), with: workout, keepingDevices: false)
  }

  /// Saves those of some samples that are not stored yet, and makes samples belong to a workout, in one
  /// transaction.
  /// - Parameters:
  ///   - samples: among them may be the workout.
  ///   - members: UUIDs of samples that are stored or given.
  ///   - leavingOutHidden: whether stored members of others that the program may not read are left out, and
  ///     are no error.
  /// - Returns: the UUID of the workout that they belong to now: that of the stored one with its sync
  ///   identifier, if that counts.
  /// - Throws: errorInvalidArgument for a workout that is not stored; errorAuthorizationDenied for one of
  ///   another source, and for members that the program neither saved nor may read.
  @discardableResult
  func save(
    _ samples: [HKSample], associating members: [UUID], with workout: HKWorkout, keepingDevices: Bool = true,
    leavingOutHidden: Bool = false
  ) async throws -> UUID {
    try await HKError.translating {
      let batch = try await unsaved(samples, keepingDevices: keepingDevices)
      return try await admit(.save(batch.types.union([.workoutType()])))
        .save(
          batch.records, associating: members, with: workout.uuid,
          ofType: HKObjectType.workoutType().identifier,
          leavesOutHidden: leavingOutHidden)
    }
  }

  /// Saves those of some samples that are not stored yet, in one transaction.
  /// - Returns: for each sample the UUID of the one that counts for it: its own, unless one with its sync
  ///   identifier is stored; and whether any took the place of another.
  func saveMissing(_ samples: [HKSample]) async throws -> (effective: [UUID], hasReplaced: Bool) {
    try await HKError.translating {
      let batch = try await unsaved(samples, keepingDevices: true)
      let saved = try await admit(.save(batch.types)).saveMissing(batch.records)
      let byUUID = Dictionary(zip(batch.records.map(\.uuid), saved.effective)) { first, _ in first }
      return (samples.map { byUUID[$0.uuid] ?? $0.uuid }, saved.outcome.replaced > 0)
    }
  }

  /// What the samples that count for these are made of, as far as the program may read it.
  func quantities(of samples: [UUID]) async throws -> AssociatedQuantities {
    try await HKError.translating { try await admit(.read([])).quantities(ofEffective: samples) }
  }

  /// What is stored already need not be complete: a query leaves the values of a series in the store.
  func unsaved(_ samples: [HKSample], keepingDevices: Bool) async throws -> RecordBatch {
    var batch = RecordBatch(revision, capacity: samples.count, keepsDevices: keepingDevices)
    let stored = try await admit(.save([])).stored(among: samples.map(\.uuid))
    for sample in samples where !stored.contains(sample.uuid) { try batch.append(sample) }
    return batch
  }
}
