/// The user's decisions for one application on one type of samples.
package struct Permission: Hashable, Sendable {
  /// Whether the application may save such samples; `nil` if the user has not decided.
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

/// For which application a database is used, and how.
///
/// The permissions are not in here: each read and write looks them up in its transaction. So when the user
/// revokes a permission, it takes effect at once in every process.
package enum Admission: Hashable, Sendable {
  /// hrgate itself, with full access.
  case system
  /// An application (bundle identifier) that saves or deletes samples of these types.
  case sharing([ProtectedType], by: String)
  /// An application (bundle identifier) that reads samples of these types.
  case reading([ProtectedType], by: String)
}

/// A type of samples or other objects, and how the user decides on its permission.
package enum ProtectedType: Hashable, Sendable {
  /// The user decides on the type as a whole.
  case type(String)
  /// The user decides on the types of the samples that it may contain. An example is a correlation of two
  /// blood pressures.
  case container(String, of: [String])
  /// To read, the user decides on each object. To save, on the type as a whole.
  case objects(String)
}
