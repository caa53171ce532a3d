import GRDB

/// The monitors in a store. They are read without creating, migrating or repairing the store.
package struct EnrolmentInspection: Sendable {
  /// When each monitor was added to the store, in microseconds since 1970.
  package var enrolled: [AddressRecord: Int64] = [:]
  /// All monitors that a gateway has tried to connect to for this store.
  package var followed: Set<AddressRecord> = []

  /// Reads the monitors in the store at a path.
  /// - Throws: `StorageError`, for example if the schema is newer, or too old to have these tables.
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
