/// What the user has decided on a type for an application.
package struct Permission: Hashable, Sendable {
  /// nil while undecided.
  package var share: Bool?
  package var read: Bool?

  package init(share: Bool? = nil, read: Bool? = nil) {
    self.share = share
    self.read = read
  }
}

/// Who asks for permission, and how it presents itself to the user.
package struct ApplicationRecord: Hashable, Sendable {
  package var bundleIdentifier: String
  package var name: String

  package init(bundleIdentifier: String, name: String) {
    self.bundleIdentifier = bundleIdentifier
    self.name = name
  }
}
