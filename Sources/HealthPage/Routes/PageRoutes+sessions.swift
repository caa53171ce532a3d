package import Foundation

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

/// A session of a browser, as `hrgate page sessions --json` prints it and the page gets it. The names are a
/// promise.
package struct SessionView: Codable, Sendable, Hashable {
  package var id: String
  /// Of its server. Only on the command line, which lists the sessions of all servers.
  package var port: Int?
  package var opened: Date
  package var lastUsed: Date
  /// Whether it is the session of the request. Only on the page.
  var isThis: Bool?
}

struct SessionList: Codable, Sendable {
  var sessions: [SessionView]

  init(_ sessions: [PageSessions.Session], current: String? = nil) {
    self.sessions = sessions.map { session in
      SessionView(
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
