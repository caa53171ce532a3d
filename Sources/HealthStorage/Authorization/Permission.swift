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
