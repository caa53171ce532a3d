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
        let enrolled: Int64 = try row.decode(atIndex: 2)
        found.enrolled[try address(row)] = enrolled
      }
      let followed = "SELECT DISTINCT address, kind FROM monitor_gap WHERE recorded & 1 = 0"
      for row in try Row.fetchAll(database, sql: followed) { found.followed.insert(try address(row)) }
      return found
    }
  }

  private static func address(_ row: Row) throws -> AddressRecord {
    AddressRecord(text: try row.decode(atIndex: 0), kind: try row.decode(atIndex: 1))
  }
}
