package import Foundation
import GRDB

extension SampleDatabase {
  /// Deletes objects by UUID in one transaction.
  /// - Parameters:
  ///   - source: The bundle identifier of the source, which must have saved all of them.
  ///   - protection: Returns the permission rule (``ProtectedType``) for a type identifier.
  /// - Throws: `StorageError.notOwned` with all objects that are not stored or belong to another source;
  ///   `.undecided` or `.denied` if the user does not allow the application to save, and thus to delete, one
  ///   of the types.
  package func delete(
    _ uuids: [UUID], savedBy source: String,
    protection: @escaping @Sendable (String) -> ProtectedType = ProtectedType.type
  ) async throws {
    try await write { database in
      try requireSharing(in: database)
      try BlockUnpacking(in: database).unpack(holding: Set(uuids))
      let wanted = SampleFilter.all([.uuids(Set(uuids)), .sources([source])])
      let owned = try Self.owned(wanted, in: database)
      // A heartbeat series that is being measured is stored in the table `open_series`. Its source is a
      // monitor, so the permissions of an application need not be checked.
      let open = try OpenSeries(database: database).delete(wanted.conditionRegardlessOfPermission)
      let found = Set(owned.map(\.uuid)).union(open)
      let others = Set(uuids).subtracting(found)
      guard others.isEmpty else { throw StorageError.notOwned(others.sorted()) }
      // Check the stored types, because the application may have named others.
      try requireSharing(of: Set(owned.map(\.type)).map(protection), in: database)
      try Self.bury(owned, in: database)
    }
  }

  /// Deletes the matching objects of a source in one transaction.
  /// - Returns: The number of deleted objects.
  package func delete(_ filter: SampleFilter, savedBy source: String) async throws -> Int {
    try await write { database in
      try requireSharing(in: database)
      let filter = SampleFilter.all([try resolved(filter, in: database), .sources([source])])
      // Turn all matching compressed segments into rows, which are deleted below. If that fails, the
      // transaction is rolled back.
      try BlockUnpacking(in: database).unpack(filter.conditionRegardlessOfPermission)
      let owned = try Self.owned(filter, in: database)
      try Self.bury(owned, in: database)
      let open = try OpenSeries(database: database).delete(filter.conditionRegardlessOfPermission)
      return owned.count + open.count
    }
  }

  private struct Owned {
    var sample: Int64
    var uuid: UUID
    var source: Int64
    /// The identifier of the object type.
    var type: String
  }

  /// Returns the matching samples that are rows. Compressed segments must be turned into rows first.
  private static func owned(_ filter: SampleFilter, in database: Database) throws -> [Owned] {
    let condition = filter.conditionRegardlessOfPermission
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT sample.id, sample.uuid, source_revision.source, object_type.identifier FROM sample
        JOIN object_type ON object_type.id = sample.type
        JOIN provenance ON provenance.id = sample.provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        WHERE sample.id IN (SELECT id FROM sample WHERE \(condition.sql)) ORDER BY sample.id
        """,
      arguments: condition.arguments)
    var owned: [Owned] = []
    while let row = try rows.next() {
      owned.append(
        try Owned(
          sample: row.decode(atIndex: 0), uuid: row.decode(atIndex: 1), source: row.decode(atIndex: 2),
          type: row.decode(atIndex: 3)))
    }
    return owned
  }

  private static func bury(_ owned: [Owned], in database: Database) throws {
    let tombstones = Tombstones(database: database)
    var summaries = SummaryInvalidation()
    for object in owned { try tombstones.bury(object.sample, savedBy: object.source, &summaries) }
    try summaries.flush(in: database)
  }
}
