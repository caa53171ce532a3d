package import Foundation
import GRDB

extension SampleDatabase {
  /// Stores the records that are not stored yet, in one transaction.
  /// - Returns: for each record the UUID of its effective object, which is its own or that of the stored
  ///   object with its sync identifier; and the outcome for the new records.
  package func saveMissing(
    _ records: [SampleRecord]
  ) async throws -> (effective: [UUID], outcome: SaveOutcome) {
    try await transact { batch, database in
      try saveMissing(records, &batch, database)
      return (try records.map { try batch.effective(for: $0.uuid) }, batch.outcome)
    }
  }

  /// Stores the records that are not stored yet, and adds samples to a container, in one transaction.
  /// - Parameters:
  ///   - members: UUIDs of samples that are stored or in the batch. For a replaced sample, its replacement is
  ///     added; a deleted one is skipped.
  ///   - container: the UUID of the container, stored or in the batch. If another object with its sync
  ///     identifier is stored, that one is used.
  ///   - type: the identifier of the container's type.
  ///   - leavesOutHidden: whether to skip members that the application may not read, instead of failing.
  /// - Returns: the UUID of the container used.
  /// - Throws: the errors of `save(_:inOrderOfTime:)`; `StorageError.notStored` if there is no such
  ///   container; `.notOwned` if the application did not save it, or may not read members that it did not
  ///   save.
  @discardableResult
  package func save(
    _ records: [SampleRecord], associating members: [UUID], with container: UUID, ofType type: String,
    leavesOutHidden: Bool = false
  ) async throws -> UUID {
    try await transact { batch, database in
      try saveMissing(records, &batch, database)
      guard let row = try batch.effectiveRows(for: [container]).first,
        let effective = try self.container(row, type, in: database)
      else { throw StorageError.notStored([container]) }
      let found = try batch.effectiveRows(for: members)
      let (visible, hidden) = try divided(found, in: database)
      guard leavesOutHidden || hidden.isEmpty else { throw StorageError.notOwned(hidden) }
      let memberships = Memberships(database: database)
      for member in visible { try memberships.add(member, to: [row]) }
      return effective
    }
  }

  /// Stores the records that are not stored yet, and associates a sample with a container, in one
  /// transaction.
  /// - Parameters:
  ///   - member: the UUID of a sample that is stored or in the batch.
  ///   - part: the UUID of the part of the container that the sample describes; nil for the whole. It
  ///     replaces an earlier association with the container.
  /// - Throws: the errors of `save(_:inOrderOfTime:)`; `StorageError.notStored` if the container is not
  ///   stored.
  package func save(
    _ records: [SampleRecord], relating member: UUID, to container: UUID, part: UUID?
  ) async throws {
    try await transact { batch, database in
      try saveMissing(records, &batch, database)
      // A program may rate the effort of another program's workout, but only if it may read that workout.
      let found = try batch.effectiveRows(for: [member, container])
      let (_, hidden) = try divided(found, in: database)
      guard hidden.isEmpty else { throw StorageError.notOwned(hidden) }
      try batch.relate(member, to: container, part: part)
    }
  }

  /// Ends an association; the sample is kept.
  /// - Throws: `StorageError.notStored` if it does not exist, or the application may not see it.
  package func unrelate(_ member: UUID, from container: UUID, part: UUID?) async throws {
    try await transact { batch, database in
      let (_, hidden) = try divided(batch.effectiveRows(for: [member, container]), in: database)
      guard hidden.isEmpty else { throw StorageError.notStored([member]) }
      try batch.unrelate(member, from: container, part: part)
    }
  }

  /// Checks the stored container, not the one described by the application.
  /// - Returns: its UUID; nil if the object has another type.
  private func container(_ row: Int64, _ type: String, in database: Database) throws -> UUID? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT sample.uuid, source.bundle_identifier FROM sample
        JOIN object_type ON object_type.id = sample.type
        JOIN provenance ON provenance.id = sample.provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        JOIN source ON source.id = source_revision.source
        WHERE sample.id = ? AND object_type.identifier = ?
        """)
    guard let found = try Row.fetchOne(statement, arguments: [row, type]) else { return nil }
    let (uuid, source): (UUID, String) = (try found.decode(atIndex: 0), try found.decode(atIndex: 1))
    if case .sharing(_, let application) = admission, application != source {
      throw StorageError.notOwned([uuid])
    }
    return uuid
  }

  /// Splits samples into those that the application saved or may read, and the UUIDs of the others.
  private func divided(
    _ samples: [Int64], in database: Database
  ) throws -> (visible: [Int64], hidden: [UUID]) {
    guard let hidden = try Visibility.of(admission, in: database)?.associable.negated else {
      return (samples, [])
    }
    let statement = try database.cachedStatement(
      sql: "SELECT uuid FROM sample WHERE sample.id = ? AND \(hidden.sql)")
    var divided: (visible: [Int64], hidden: [UUID]) = ([], [])
    for sample in samples {
      let arguments: StatementArguments = [sample]
      if let uuid = try UUID.fetchOne(statement, arguments: arguments + hidden.arguments) {
        divided.hidden.append(uuid)
      } else {
        divided.visible.append(sample)
      }
    }
    return divided
  }

  private func saveMissing(
    _ records: [SampleRecord], _ batch: inout BatchSave, _ database: Database
  ) throws {
    var known = try storedOrOpen(records.map(\.uuid), in: database)
    for record in records where known.insert(record.uuid).inserted { try batch.save(record) }
  }

  private func transact<Value: Sendable>(
    _ body: @Sendable (inout BatchSave, Database) throws -> Value
  ) async throws -> Value {
    try await writeInOwnTransaction { database in
      try inOneTransaction(database) { batch in try body(&batch, database) }
    }
  }
}
