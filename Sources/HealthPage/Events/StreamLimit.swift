import Synchronization

/// Limits the number of open event streams, and ends a session's streams when the session ends.
final class StreamLimit: Sendable {
  /// An open stream. It counts until this object is released.
  final class Slot: Sendable {
    let latestEvents = LatestEvents()
    private let session: String
    private let streamLimit: StreamLimit

    fileprivate init(_ session: String, _ streamLimit: StreamLimit) {
      (self.session, self.streamLimit) = (session, streamLimit)
    }

    fileprivate func endIfOf(_ session: String) {
      if session == self.session { latestEvents.end() }
    }

    deinit { streamLimit.open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) } }
  }

  private struct Weak: Sendable {
    weak let slot: Slot?
  }

  private let most: Int
  private let open = Mutex<[ObjectIdentifier: Weak]>([:])

  init(_ most: Int) { self.most = most }

  /// Returns a slot for a new stream.
  /// - Throws: ``PageError/busy`` if too many streams are open.
  func slot(_ session: String) throws(PageError) -> Slot {
    let slot = Slot(session, self)
    let isRoom = open.withLock { open in
      guard open.count < most else { return false }
      open[ObjectIdentifier(slot)] = Weak(slot: slot)
      return true
    }
    guard isRoom else { throw .busy }
    return slot
  }

  /// Ends the streams of a session.
  func end(_ session: String) {
    // Keep references to the slots until the lock is released, because a slot's `deinit` takes the lock.
    let slots = open.withLock { $0.values.compactMap(\.slot) }
    for slot in slots { slot.endIfOf(session) }
  }
}
