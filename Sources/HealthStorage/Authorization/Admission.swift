/// On whose behalf a database is used, and for what.
///
/// What the application may do is not in here: it is looked up in the transaction of each read and write, so
/// that what the user revokes is revoked at once, whichever process they did it in.
package enum Admission: Hashable, Sendable {
  /// The system, for which nothing is checked.
  case system
  /// An application, by its bundle identifier, that saves or deletes samples of these types.
  case sharing([ProtectedType], by: String)
  /// An application that reads samples of these types.
  case reading([ProtectedType], by: String)
}

/// An object type, and what its permission depends on.
package enum ProtectedType: Hashable, Sendable {
  /// The user decides on the type.
  case type(String)
  /// The user decides on the types of the samples that it may hold.
  case container(String, of: [String])
  /// The user decides on each object, for reading.
  case objects(String)
}
