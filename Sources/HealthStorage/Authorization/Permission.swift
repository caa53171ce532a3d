/// The user's decisions on a type for an application.
package struct Permission: Hashable, Sendable {
  /// nil if undecided.
  package var share: Bool?
  package var read: Bool?

  package init(share: Bool? = nil, read: Bool? = nil) {
    self.share = share
    self.read = read
  }
}

/// An application that requests permission, with the name shown to the user.
package struct ApplicationRecord: Hashable, Sendable {
  package var bundleIdentifier: String
  package var name: String

  package init(bundleIdentifier: String, name: String) {
    self.bundleIdentifier = bundleIdentifier
    self.name = name
  }
}

/// The application that a database is used for, and the kind of access.
///
/// Contains no permissions: each read and write looks them up in its transaction. Revoking a permission
/// therefore takes effect immediately, in every process.
package enum Admission: Hashable, Sendable {
  /// The system, with full access.
  case system
  /// An application, by bundle identifier, that saves or deletes samples of these types.
  case sharing([ProtectedType], by: String)
  /// An application that reads samples of these types.
  case reading([ProtectedType], by: String)
}

/// An object type, and how its permission is decided.
package enum ProtectedType: Hashable, Sendable {
  /// By type.
  case type(String)
  /// By the types of the samples that it may contain.
  case container(String, of: [String])
  /// For reading, by object.
  case objects(String)
}
