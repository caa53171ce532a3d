package import Foundation

/// What an application asks the user for.
package struct PermissionRequest: Hashable, Sendable {
  package var application: ApplicationRecord
  /// What the application says about why it saves and why it reads.
  package var shareDescription: String?
  package var readDescription: String?
  /// The identifiers of the types.
  package var share: [String]
  package var read: [String]
  /// The samples that it asks to read, of types that are permitted object by object.
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

/// A request that waits for the user.
package struct PendingRequest: Hashable, Sendable {
  package var id: Int64
  /// Microseconds since 1970.
  package var asked: Int64
  /// Its types are those that are not decided yet.
  package var request: PermissionRequest

  package init(id: Int64, asked: Int64, request: PermissionRequest) {
    self.id = id
    self.asked = asked
    self.request = request
  }
}

/// What has become of a request.
package enum RequestAnswer: Hashable, Sendable {
  case pending
  /// The user declined to decide, or the request is gone.
  case cancelled
  case decided
}
