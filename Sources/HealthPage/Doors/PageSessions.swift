import Foundation
import Synchronization

/// Who is in: the browsers that have brought a one-time code. They are kept in memory, and end with the
/// server.
final class PageSessions: Sendable {
  struct Session: Sendable {
    /// Names it to people; opens nothing.
    let id: String
    let opened: Date
    var lastUsed: Date
    /// What the browser shows with each request, in its cookie.
    fileprivate let key: Secret
    /// What the page's own scripts show when they change something; no other site can read it.
    let changeKey: Secret
  }

  /// More than these there are not: whoever was away longest has to come in anew.
  static let most = 16

  private let sessions = Mutex<[Session]>([])
  private let now: @Sendable () -> Date
  private let onEnd = Mutex<@Sendable (String) -> Void>({ _ in })

  init(now: @escaping @Sendable () -> Date) { self.now = now }

  /// Sets what happens when a session has ended, with its id.
  func whenEnded(_ action: @escaping @Sendable (String) -> Void) { onEnd.withLock { $0 = action } }

  /// - Returns: What the browser's cookie holds.
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
    if let ended { tell(ended) }
    return key.text
  }

  /// The session of a browser, which is used by that.
  func session(ofKey guess: String) -> Session? {
    let now = now()
    return sessions.withLock { sessions in
      guard let place = sessions.firstIndex(where: { $0.key.matches(guess) }) else { return nil }
      sessions[place].lastUsed = now
      return sessions[place]
    }
  }

  /// In the order in which they began.
  var all: [Session] { sessions.withLock { $0 } }

  /// - Parameter id: `nil` for all.
  /// - Returns: How many there were.
  @discardableResult
  func end(_ id: String?) -> Int {
    let ended = sessions.withLock { sessions in
      let ended = sessions.map(\.id).filter { id == nil || $0 == id }
      sessions.removeAll { ended.contains($0.id) }
      return ended
    }
    ended.forEach(tell)
    return ended.count
  }

  private func tell(_ id: String) { onEnd.withLock { $0 }(id) }
}
