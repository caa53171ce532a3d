import GRDB

/// Reads what the user has decided. Valid only within the access to the database that it was made in.
struct PermissionLookup {
  let application: String
  private let statement: Statement

  init(_ application: String, in database: Database) throws {
    self.application = application
    statement = try database.cachedStatement(
      sql: """
        SELECT share, read FROM permission JOIN application ON application.id = permission.application
        WHERE application.identifier = ? AND type = ?
        """)
  }

  func permission(for type: String) throws -> Permission {
    guard let row = try Row.fetchOne(statement, arguments: [application, type]) else { return Permission() }
    return try Permission(share: row.decode(atIndex: 0), read: row.decode(atIndex: 1))
  }

  /// - Throws: `StorageFailure.undecided` if the user was not asked about one of the types, else `.denied` if
  ///   one is denied.
  func requireSharing(_ types: [ProtectedType]) throws {
    var isDenied = false
    for type in types {
      switch try sharing(type) {
      case nil: throw StorageFailure.undecided
      case false?: isDenied = true
      case true?: break
      }
    }
    if isDenied { throw StorageFailure.denied }
  }

  /// A container may be deleted by whoever may save anything that it may hold.
  private func sharing(_ type: ProtectedType) throws -> Bool? {
    switch type {
    case .type(let identifier), .objects(let identifier):
      return try permission(for: identifier).share
    case .container(_, let parts):
      let decisions = try parts.compactMap { try permission(for: $0).share }
      return decisions.isEmpty ? nil : decisions.contains(true)
    }
  }
}

extension SampleDatabase {
  /// Whether a type that has one value and no samples may be read.
  /// - Throws: `StorageFailure.undecided`.
  func mayRead(_ type: String, in database: Database) throws -> Bool {
    switch admission {
    case .system: return true
    case .sharing: return false
    case .reading(_, let application):
      let permission = try PermissionLookup(application, in: database).permission(for: type)
      guard let read = permission.read else { throw StorageFailure.undecided }
      return read
    }
  }

  /// Whether objects that are no samples may be read, of a type that is permitted object by object. Undecided
  /// is no, which looks the same as there being none.
  func mayReadObjects(of type: String, in database: Database) throws -> Bool {
    switch admission {
    case .system: true
    case .sharing: false
    case .reading(_, let application):
      try PermissionLookup(application, in: database).permission(for: type).read == true
    }
  }

  /// To be called first in every transaction that writes what an application gave.
  /// - Throws: `StorageFailure.undecided`, `.denied`.
  func requireSharing(in database: Database) throws {
    guard case .sharing(let types, _) = admission else { return try requireSharing(of: [], in: database) }
    try requireSharing(of: types, in: database)
  }

  /// As `requireSharing(in:)`, for types that only the transaction knows.
  func requireSharing(of types: [ProtectedType], in database: Database) throws {
    switch admission {
    case .system: return
    case .sharing(_, let application):
      try PermissionLookup(application, in: database).requireSharing(types)
    case .reading: throw StorageFailure.denied
    }
  }
}
