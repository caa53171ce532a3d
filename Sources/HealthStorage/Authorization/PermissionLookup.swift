import GRDB

/// Reads the user's decisions. Use it only inside the database access in which it was created.
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

  /// - Throws: `StorageError.undecided` if the user was not asked about one of the types; `.denied` if the
  ///   user denied one.
  func requireSharing(_ types: [ProtectedType]) throws {
    var isDenied = false
    for type in types {
      switch try sharing(type) {
      case nil: throw StorageError.undecided
      case false?: isDenied = true
      case true?: break
      }
    }
    if isDenied { throw StorageError.denied }
  }

  /// Returns whether the application may save samples of a type; `nil` if undecided. It may save a container,
  /// such as a correlation, if it may save one of the types in it.
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
  /// Returns whether the application may read a type with a single value instead of samples, such as the date
  /// of birth.
  /// - Throws: `StorageError.undecided`.
  func mayRead(_ type: String, in database: Database) throws -> Bool {
    switch admission {
    case .system: return true
    case .sharing: return false
    case .reading(_, let application):
      let permission = try PermissionLookup(application, in: database).permission(for: type)
      guard let read = permission.read else { throw StorageError.undecided }
      return read
    }
  }

  /// Returns whether the application may read objects that are not samples, of a type for which the user
  /// decides on each object. If the user has not decided, returns `false`, as if there were no such objects.
  func mayReadObjects(of type: String, in database: Database) throws -> Bool {
    switch admission {
    case .system: true
    case .sharing: false
    case .reading(_, let application):
      try PermissionLookup(application, in: database).permission(for: type).read == true
    }
  }

  /// Throws if the application may not save the types of this admission. Call it first in each transaction
  /// that writes.
  /// - Throws: `StorageError.undecided`, `.denied`.
  func requireSharing(in database: Database) throws {
    guard case .sharing(let types, _) = admission else { return try requireSharing(of: [], in: database) }
    try requireSharing(of: types, in: database)
  }

  /// Throws if the application may not save these types. Use it for types that become known only within the
  /// transaction.
  func requireSharing(of types: [ProtectedType], in database: Database) throws {
    switch admission {
    case .system: return
    case .sharing(_, let application):
      try PermissionLookup(application, in: database).requireSharing(types)
    case .reading: throw StorageError.denied
    }
  }
}
