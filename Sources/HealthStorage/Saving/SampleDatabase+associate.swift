package import Foundation
import GRDB

extension SampleDatabase {
  /// Stores those of a batch that are not stored yet, in one transaction.
  /// - Returns: for each record the UUID of the object that counts for it: its own, or that of the stored one with its sync
  ///   identifier.
  package func saveMissing(_ records: [SampleRecord]) async throws -> [UUID] {
    try await transact { batch, database in
      try Self.saveMissing(records, &batch, database)
      return try records.map { try batch.counting(for: $0.uuid) }
    }
  }

  /// Stores those of a batch that are not stored yet, and makes samples belong to an object, in one transaction.
  /// - Parameters:
  ///   - members: UUIDs of samples that are stored or in the batch. What replaced one counts for it; one that was deleted
  ///     meanwhile is left out.
  ///   - container: the UUID of what they are to belong to, stored or in the batch.
  /// - Throws: as `save(_:inOrderOfTime:)`; `StorageFailure.notStored` if the container is neither stored nor in the batch.
  package func save(_ records: [SampleRecord], associating members: [UUID], with container: UUID) async throws
  {
    try await transact { batch, database in
      try Self.saveMissing(records, &batch, database)
      try batch.associate(members, with: container)
    }
  }

  /// Stores those of a batch that are not stored yet, and relates a sample to an object, in one transaction.
  /// - Parameters:
  ///   - member: the UUID of a sample that is stored or in the batch.
  ///   - part: the UUID of the part of the container that the sample is about; nil for the whole. A sample is about one of them:
  ///     an earlier relation with the container ends.
  /// - Throws: as `save(_:inOrderOfTime:)`; `StorageFailure.notStored` if the container is not stored.
  package func save(
    _ records: [SampleRecord], relating member: UUID, to container: UUID, part: UUID?
  ) async throws {
    try await transact { batch, database in
      try Self.saveMissing(records, &batch, database)
      try batch.relate(member, to: container, part: part)
    }
  }

  /// Ends a relation; the sample stays.
  /// - Throws: `StorageFailure.notStored` if there is no such relation.
  package func unrelate(_ member: UUID, from container: UUID, part: UUID?) async throws {
    try await transact { batch, _ in try batch.unrelate(member, from: container, part: part) }
  }

  private static func saveMissing(_ records: [SampleRecord], _ batch: inout BatchSave, _ database: Database)
    throws
  {
    var known = try stored(records.map(\.uuid), in: database)
    for record in records where known.insert(record.uuid).inserted { try batch.save(record) }
  }

  private func transact<Value: Sendable>(
    _ body: @Sendable (inout BatchSave, Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await writer.writeWithoutTransaction { database in
        try inOneTransaction(database) { batch in try body(&batch, database) }
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }
}
