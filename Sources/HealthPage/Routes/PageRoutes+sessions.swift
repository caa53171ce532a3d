import Foundation

extension PageRoutes {
  /// Who is in, and how they are sent away.
  mutating func addSessions(_ sessions: PageSessions) {
    reads["/api/sessions"] = { question in
      try .json(SessionList(sessions.all, current: question.session.id))
    }
    changes["/api/sessions/end"] = { question in
      try .json(sessions.end(question.body(SessionEnd.self)))
    }
  }
}

struct SessionList: Codable, Sendable {
  struct Session: Codable, Sendable {
    var id: String
    var opened: Date
    var lastUsed: Date
    /// Whether it is that of whoever asks.
    var isThis: Bool?
  }

  var sessions: [Session]

  init(_ sessions: [PageSessions.Session], current: String? = nil) {
    self.sessions = sessions.map { session in
      Session(
        id: session.id, opened: session.opened, lastUsed: session.lastUsed,
        isThis: current.map { $0 == session.id })
    }
  }
}

/// Which sessions end: one, or all.
struct SessionEnd: Codable, Sendable {
  var id: String?
  var all: Bool?
}

/// How many have ended.
struct SessionsEnded: Codable, Sendable {
  var ended: Int
}

extension PageSessions {
  /// - Throws: ``PageFault`` where neither one nor all are named, or there is none of that name.
  func end(_ wish: SessionEnd) throws -> SessionsEnded {
    guard (wish.id != nil) != (wish.all == true) else {
      throw PageFault.argument("Name a session by its id, or say that all of them end.")
    }
    let ended = end(wish.id)
    if let id = wish.id, ended == 0 { throw PageFault.absent("There is no session \(id).") }
    return SessionsEnded(ended: ended)
  }
}
