package import Foundation

/// An application's request for permissions.
package struct PermissionRequest: Hashable, Sendable {
  package var application: ApplicationRecord
  /// The application's explanations to the user: why it wants to save, and why it wants to read.
  package var shareDescription: String?
  package var readDescription: String?
  /// The identifiers of the types to save and to read.
  package var share: [String]
  package var read: [String]
  /// The samples that the application wants to read, of types for which the user decides on each object.
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
  /// When the request was made, in microseconds since 1970.
  package var asked: Int64
  /// The request with only those types on which the user has not decided yet.
  package var request: PermissionRequest

  package init(id: Int64, asked: Int64, request: PermissionRequest) {
    self.id = id
    self.asked = asked
    self.request = request
  }
}

/// The outcome of a request.
package enum PermissionDecision: Hashable, Sendable {
  case pending
  /// The user dismissed the request, or it was deleted.
  case cancelled
  case decided
}
