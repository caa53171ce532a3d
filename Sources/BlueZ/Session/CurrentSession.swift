import Synchronization

/// The session of the connection that stands, for whoever is not part of its conversation.
final class CurrentSession: Sendable {
  private let session = Mutex<BlueZSession?>(nil)

  var current: BlueZSession? {
    get { session.withLock(\.self) }
    set { session.withLock { $0 = newValue } }
  }
}
