package import Foundation
import GRDB

extension SampleDatabase {
  /// Saves the samples that are not stored yet, in one transaction.
  /// - Returns: For each sample its UUID or, if a version of it with the same sync identifier is stored
  ///   instead, the UUID of that version; and the result for the saved samples.
  package func saveMissing(
    _ records: [SampleRecord]
  ) async throws -> (effective: [UUID], outcome: SaveOutcome) {
    try await transact { batch, database in
      try saveMissing(records, &batch, database)
      return (try records.map { try batch.effective(for: $0.uuid) }, batch.outcome)
    }
  }

  /// Saves the samples that are not stored yet, and adds samples to a container such as a workout, in one
  /// transaction.
  /// - Parameters:
  ///   - members: The UUIDs of the samples to add, which are stored or among `records`. If a sample was
  ///     replaced, its newer version is added. Deleted samples are skipped.
  ///   - container: The UUID of the container, which is stored or among `records`. If another version of it
  ///     with the same sync identifier is stored, that one is used.
  ///   - type: The type identifier of the container.
  ///   - leavesOutHidden: Whether to skip samples that the application may not read. If `false`, they are an
  ///     error.
  /// - Returns: The UUID of the container to which the samples were added.
  /// - Throws: The errors of `save(_:inOrderOfTime:)`; `StorageError.notStored` if there is no such
  ///   container; `.notOwned` if another application saved the container, or one of the samples that this
  ///   application may not read.
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

  /// Saves the samples that are not stored yet, and adds one sample to a container or an activity in it, in
  /// one transaction.
  /// - Parameters:
  ///   - member: The UUID of the sample to add, which is stored or among `records`.
  ///   - part: The UUID of the activity in the container; `nil` for the container itself. If the sample
  ///     already belongs to another activity of the container, it is removed from there.
  /// - Throws: The errors of `save(_:inOrderOfTime:)`; `StorageError.notStored` if the container is not
  ///   stored.
  package func save(
    _ records: [SampleRecord], relating member: UUID, to container: UUID, part: UUID?
  ) async throws {
    try await transact { batch, database in
      try saveMissing(records, &batch, database)
      // An application may rate the effort of another application's workout, but only if it may read the
      // workout.
      let found = try batch.effectiveRows(for: [member, container])
      let (_, hidden) = try divided(found, in: database)
      guard hidden.isEmpty else { throw StorageError.notOwned(hidden) }
      try batch.relate(member, to: container, part: part)
    }
  }

  /// Removes a sample from a container. The sample stays in the store.
  /// - Throws: `StorageError.notStored` if the sample does not belong to the container, or the application
  ///   may not see one of them.
  package func unrelate(_ member: UUID, from container: UUID, part: UUID?) async throws {
    try await transact { batch, database in
      let (_, hidden) = try divided(batch.effectiveRows(for: [member, container]), in: database)
      guard hidden.isEmpty else { throw StorageError.notStored([member]) }
      try batch.unrelate(member, from: container, part: part)
    }
  }

  /// Checks whether the application may add samples to the stored container.
  /// - Returns: The UUID of the container; `nil` if the stored sample has another type.
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

  /// Splits samples into the ones that the application may read or has saved, and the UUIDs of the rest.
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
