package import Foundation
package import HealthKit
import HealthStorage

extension SystemStore {
  /// Saves a sample that the user entered.
  /// - Returns: The sample as stored, with its source.
  /// - Throws: ``EntryError`` if the entry is not valid; `HKError` from the store.
  package func add(_ entry: ManualEntry) async throws -> HKSample {
    let sample = try entry.sample(unit: await entryUnits(isShown: false))
    _ = try await healthStore.acting(as: ManualEntry.source).saveReporting([sample])
    return try await self.sample(sample.uuid) ?? sample
  }

  /// Returns the sample with a UUID, or nil if it does not exist.
  package func sample(_ uuid: UUID) async throws -> HKSample? {
    let types = try await HKError.translating { try await database.counts(.uuids([uuid])) }
    guard let identifier = types.first?.key, let type = TypeName.sampleType(identifier) else { return nil }
    let predicate = HKSamplePredicate<HKSample>.sample(
      type: type, predicate: HKQuery.predicateForObject(with: uuid))
    return try await healthStore.reduceSamples(into: nil, [predicate], limit: 1) { $0 = $1 }
  }

  /// Returns the UUIDs of all samples that are deleted together with the given ones, which are included. A
  /// correlation, such as a blood pressure, is deleted with its members, as in Apple's Health app. Deleting a
  /// workout keeps the samples measured during it.
  package func deletedTogether(with uuids: Set<UUID>) async throws -> Set<UUID> {
    try await HKError.translating { try await database.withCorrelated(uuids) }
  }

  /// Returns how many of the given samples are stored, by type identifier.
  package func counts(of uuids: Set<UUID>) async throws -> [String: Int] {
    try await HKError.translating { try await database.counts(.uuids(uuids)) }
  }

  /// Deletes samples from any source.
  /// - Returns: The number of deleted samples.
  package func delete(_ uuids: Set<UUID>) async throws -> Int {
    try await HKError.translating {
      try await database.deleteMatching(.uuids(uuids), inTransactionsOf: 5000) { _ in true }
    }
  }
}
