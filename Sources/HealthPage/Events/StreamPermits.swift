import Synchronization

/// The event streams that are open: at most so many, each of a session that lasts.
final class StreamPermits: Sendable {
  /// Held by a stream as long as it is open.
  final class Permit: Sendable {
    let mailbox = EventMailbox()
    private let session: String
    private let permits: StreamPermits

    fileprivate init(_ session: String, _ permits: StreamPermits) {
      (self.session, self.permits) = (session, permits)
    }

    fileprivate func endIfOf(_ session: String) {
      if session == self.session { mailbox.end() }
    }

    deinit { permits.open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) } }
  }

  private struct Weak: Sendable {
    weak let permit: Permit?
  }

  private let most: Int
  private let open = Mutex<[ObjectIdentifier: Weak]>([:])

  init(_ most: Int) { self.most = most }

  /// - Throws: ``PageFault/busy`` where there are too many.
  func permit(_ session: String) throws(PageFault) -> Permit {
    let permit = Permit(session, self)
    let isRoom = open.withLock { open in
      guard open.count < most else { return false }
      open[ObjectIdentifier(permit)] = Weak(permit: permit)
      return true
    }
    guard isRoom else { throw .busy }
    return permit
  }

  /// Ends the streams of a session.
  func end(_ session: String) {
    // Let go of after the lock: the last reference to one takes the lock.
    let permits = open.withLock { $0.values.compactMap(\.permit) }
    for permit in permits { permit.endIfOf(session) }
  }
}
