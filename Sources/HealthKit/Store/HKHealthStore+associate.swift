import Foundation
import HealthStorage

extension HKHealthStore {
  /// Implements `addSamples(_:to:)`.
  func associate(_ samples: [HKSample], with workout: HKWorkout) async throws {
    try await save(
      samples, associating: samples.map(\.uuid), with: workout, keepingDevices: false)
  }

  /// Saves the samples that are not stored yet and associates samples with a workout, in one transaction.
  /// - Parameters:
  ///   - samples: The samples to save, possibly including the workout.
  ///   - members: The UUIDs of the samples to associate. Each must be stored or in `samples`.
  ///   - leavingOutHidden: Whether to skip samples of other sources that the program may not read, instead of
  ///     throwing an error.
  /// - Returns: The UUID of the workout with which the samples are now associated. If a stored workout has
  ///   the same sync identifier and a version that is not older, it is the UUID of that stored workout.
  /// - Throws: `HKError` errorInvalidArgument if the workout is not stored; errorAuthorizationDenied if it
  ///   belongs to another source, or if the program neither saved one of the samples nor may read it.
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

  /// Saves the samples that are not stored yet, in one transaction.
  /// - Returns: For each sample, the UUID of the sample that is now stored. This UUID differs from the one of
  ///   the passed sample if a stored sample has the same sync identifier and a version that is not older.
  ///   `hasReplaced` is true if a sample replaced an older version.
  func saveMissing(_ samples: [HKSample]) async throws -> (effective: [UUID], hasReplaced: Bool) {
    try await HKError.translating {
      let batch = try await unsaved(samples, keepingDevices: true)
      let saved = try await admit(.save(batch.types)).saveMissing(batch.records)
      let byUUID = Dictionary(zip(batch.records.map(\.uuid), saved.effective)) { first, _ in first }
      return (samples.map { byUUID[$0.uuid] ?? $0.uuid }, saved.outcome.replaced > 0)
    }
  }

  /// Returns the quantities of stored samples, as far as the program may read them.
  func quantities(of samples: [UUID]) async throws -> AssociatedQuantities {
    try await HKError.translating { try await admit(.read([])).quantities(ofEffective: samples) }
  }

  /// Returns the records of those samples that are not stored yet. Samples that are already stored are
  /// skipped, because the passed objects may be incomplete: a query does not read the values of a series.
  func unsaved(_ samples: [HKSample], keepingDevices: Bool) async throws -> RecordBatch {
    var batch = RecordBatch(revision, capacity: samples.count, keepsDevices: keepingDevices)
    let stored = try await admit(.save([])).stored(among: samples.map(\.uuid))
    for sample in samples where !stored.contains(sample.uuid) { try batch.append(sample) }
    return batch
  }
}
