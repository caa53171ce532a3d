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

/// The application that uses a database object, and what it does with it.
///
/// The permissions are not stored here: each read and write looks them up in its transaction. So when the
/// user revokes a permission, it takes effect at once in every process.
package enum Admission: Hashable, Sendable {
  /// hrgate itself, with full access.
  case system
  /// An application (bundle identifier) that saves or deletes samples of these types.
  case sharing([ProtectedType], by: String)
  /// An application (bundle identifier) that reads samples of these types.
  case reading([ProtectedType], by: String)
}

/// The identifier of an object type, and whether the user grants permission for the whole type, for the types
/// that it contains, or for single objects.
package enum ProtectedType: Hashable, Sendable {
  /// The user decides on the type as a whole.
  case type(String)
  /// The user decides on the types of the samples that it may contain. Example: a blood pressure correlation.
  case container(String, of: [String])
  /// The user decides on each object for reading, and on the whole type for saving.
  case objects(String)
}
