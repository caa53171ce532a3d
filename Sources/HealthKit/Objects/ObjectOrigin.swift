import Foundation

/// What every object has, whatever it is about.
struct ObjectOrigin: Sendable {
  var uuid = UUID.timeOrdered()
  var device: HKDevice?
  var metadata: ObjectMetadata?
  /// nil until the object comes from a store.
  var revision: HKSourceRevision?
}

extension ObjectOrigin {
  /// Of a new object.
  init(device: HKDevice?, metadata: [String: Any]?) throws(HKValidationError) {
    self.init(device: device, metadata: try ObjectMetadata.validated(metadata))
  }
}
