import GRDB

/// The monitors of a database, read without creating, migrating or repairing anything.
package struct EnrolmentInspection: Sendable {
  /// The enrollment time of each monitor, in microseconds since 1970.
  package var enrolled: [AddressRecord: Int64] = [:]
  /// The result of `SampleDatabase.followedMonitors()`.
  package var followed: Set<AddressRecord> = []

  /// Inspects the database at a path.
  /// - Throws: `StorageError`, also for a schema that is newer, or too old for these tables.
  package static func look(at path: String) throws -> EnrolmentInspection {
    try SampleDatabase.reading(path) { database in
      try SampleDatabase.refuseNewerSchema(database, path)
      var found = EnrolmentInspection()
      for row in try Row.fetchAll(database, sql: "SELECT address, kind, enrolled FROM monitor") {
        let address = AddressRecord(text: try row.decode(atIndex: 0), kind: try row.decode(atIndex: 1))
        let enrolled: Int64 = try row.decode(atIndex: 2)
        found.enrolled[address] = enrolled
      }
      found.followed = try SampleDatabase.followedMonitors(in: database)
      return found
    }
  }
}
