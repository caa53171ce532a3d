package import Foundation

extension PageRoutes {
  /// Adds routes to list and end browser sessions.
  mutating func addSessions(_ sessions: PageSessions) {
    reads["/api/sessions"] = { request in
      try .json(SessionList(sessions.all, current: request.session.id))
    }
    changes["/api/sessions/end"] = { request in
      try .json(sessions.end(request.body(SessionEnd.self)))
    }
  }
}

/// A browser session. `hrgate page sessions --json` and the page encode it as JSON. The field names are
/// stable.
package struct SessionView: Codable, Sendable, Hashable {
  package var id: String
  /// The port of the server. Set only for the command line, which lists the sessions of all servers.
  package var port: Int?
  package var opened: Date
  package var lastUsed: Date
  /// Whether the request came from this session. Set only for the page.
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

/// Which sessions to end: one (`id`), or all.
struct SessionEnd: Codable, Sendable {
  var id: String?
  var all: Bool?
}

/// The number of sessions that ended.
struct SessionsEnded: Codable, Sendable {
  var ended: Int
}

extension PageSessions {
  /// Ends sessions.
  /// - Throws: ``PageError`` if the request contains neither or both of `id` and `all`, or if there is no
  ///   session with this ID.
  func end(_ wish: SessionEnd) throws -> SessionsEnded {
    guard (wish.id != nil) != (wish.all == true) else {
      throw PageError.argument("Give the id of a session, or all.")
    }
    let ended = end(wish.id)
    if let id = wish.id, ended == 0 { throw PageError.absent("There is no session \(id).") }
    return SessionsEnded(ended: ended)
  }
}
