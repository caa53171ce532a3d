import Foundation
import Synchronization

/// The sessions of browsers that used a one-time code. They are kept in memory only. A session ends when the
/// server stops, or after a day without requests.
final class PageSessions: Sendable {
  struct Session: Sendable {
    /// Identifies the session in lists. It does not grant access.
    let id: String
    let opened: Date
    var lastUsed: Date
    /// The secret in the browser's cookie.
    fileprivate let key: Secret
    /// The secret that the page's scripts send with each request for a change. Scripts of other sites cannot
    /// read it.
    let changeKey: Secret
  }

  /// Maximum number of sessions. A new one ends the least recently used one.
  static let most = 16
  /// Seconds without a request after which a session ends, in case the user leaves the browser open.
  static let timeout: TimeInterval = 86_400

  private let sessions = Mutex<[Session]>([])
  private let now: @Sendable () -> Date
  private let onEnd = Mutex<@Sendable (String) -> Void>({ _ in })

  init(now: @escaping @Sendable () -> Date) { self.now = now }

  /// Sets the handler that is called with the id of a session that has ended.
  func whenEnded(_ action: @escaping @Sendable (String) -> Void) { onEnd.withLock { $0 = action } }

  /// Opens a session.
  /// - Returns: The value of the browser's cookie.
  func open() -> String {
    let key = Secret()
    let session = Session(
      id: String(Secret().text.prefix(8)), opened: now(), lastUsed: now(), key: key, changeKey: Secret())
    let ended = sessions.withLock { sessions -> String? in
      var ended: String?
      if sessions.count >= Self.most, let oldest = sessions.min(by: { $0.lastUsed < $1.lastUsed }) {
        sessions.removeAll { $0.id == oldest.id }
        ended = oldest.id
      }
      sessions.append(session)
      return ended
    }
    if let ended { notifyEnd(ended) }
    return key.text
  }

  /// Returns the session with a key, and updates the time of its last use.
  func session(ofKey guess: String) -> Session? {
    endForgotten()
    let now = now()
    return sessions.withLock { sessions in
      guard let place = sessions.firstIndex(where: { $0.key.matches(guess) }) else { return nil }
      sessions[place].lastUsed = now
      return sessions[place]
    }
  }

  /// Updates the time of a session's last use. Called when the session's event stream sends data.
  func use(_ id: String) {
    let now = now()
    sessions.withLock { sessions in
      guard let place = sessions.firstIndex(where: { $0.id == id }) else { return }
      sessions[place].lastUsed = now
    }
  }

  /// All sessions in the order in which they were opened.
  var all: [Session] {
    endForgotten()
    return sessions.withLock { $0 }
  }

  /// Ends one session or all sessions.
  /// - Parameter id: The ID of the session; `nil` for all.
  /// - Returns: The number of sessions that ended.
  @discardableResult
  func end(_ id: String?) -> Int {
    let ended = sessions.withLock { sessions in
      let ended = sessions.map(\.id).filter { id == nil || $0 == id }
      sessions.removeAll { ended.contains($0.id) }
      return ended
    }
    ended.forEach(notifyEnd)
    return ended.count
  }

  private func endForgotten() {
    let earliest = now() - Self.timeout
    let ended = sessions.withLock { sessions in
      let ended = sessions.filter { $0.lastUsed < earliest }.map(\.id)
      sessions.removeAll { ended.contains($0.id) }
      return ended
    }
    ended.forEach(notifyEnd)
  }

  private func notifyEnd(_ id: String) { onEnd.withLock { $0 }(id) }
}
