package import Foundation

/// An application's request for permissions.
package struct PermissionRequest: Hashable, Sendable {
  package var application: ApplicationRecord
  /// The application's reasons for saving and for reading.
  package var shareDescription: String?
  package var readDescription: String?
  /// Type identifiers.
  package var share: [String]
  package var read: [String]
  /// The samples requested for reading, of types that are permitted by object.
  package var objects: [UUID]

  package init(
    application: ApplicationRecord, shareDescription: String?, readDescription: String?, share: [String],
    read: [String], objects: [UUID] = []
  ) {
    self.application = application
    self.shareDescription = shareDescription
    self.readDescription = readDescription
    self.share = share
    self.read = read
    self.objects = objects
  }
}

/// A request that the user has not answered.
package struct PendingRequest: Hashable, Sendable {
  package var id: Int64
  /// Microseconds since 1970.
  package var asked: Int64
  /// Contains only the types that are still undecided.
  package var request: PermissionRequest

  package init(id: Int64, asked: Int64, request: PermissionRequest) {
    self.id = id
    self.asked = asked
    self.request = request
  }
}

/// The state of a request.
package enum PermissionDecision: Hashable, Sendable {
  case pending
  /// The user declined to decide, or the request was deleted.
  case cancelled
  case decided
}
