import Synchronization

/// The open event streams. Their number is limited, and a stream ends with its session.
final class StreamPermits: Sendable {
  /// Held by a stream while it is open.
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

  /// Returns a permit for one stream.
  /// - Throws: ``PageFault/busy`` if too many streams are open.
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
    // Released outside the lock: `deinit` of the last reference takes the lock.
    let permits = open.withLock { $0.values.compactMap(\.permit) }
    for permit in permits { permit.endIfOf(session) }
  }
}
