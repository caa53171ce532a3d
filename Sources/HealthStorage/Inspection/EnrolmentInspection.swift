import GRDB

/// Which monitors a database has, seen from outside: nothing is made, migrated or mended.
package struct EnrolmentInspection: Sendable {
  /// Since when each is enrolled, in microseconds since 1970.
  package var enrolled: [AddressRecord: Int64] = [:]
  /// As `SampleDatabase.followedMonitors()` has them.
  package var followed: Set<AddressRecord> = []

  /// Looks at the database at a path.
  /// - Throws: `StorageFailure`, also for a schema that is newer, or too old to have all of this.
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
