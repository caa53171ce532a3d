import Foundation

/// What the owner asks over the socket of the server: `hrgate page sessions`, and `hrgate page` where a
/// gateway serves it already. The kernel has said who they are.
struct ControlResponder: HTTPHandler {
  let sessions: PageSessions
  /// That which a gateway shows; `nil` where no gateway serves the page.
  let gatewaysStore: String?
  /// A new address, with a code.
  let address: @Sendable () -> String

  func check(_ request: HTTPRequest) throws(PageFault) {
    // A browser that was led to this socket would name its site.
    guard request["origin"] == nil else { throw .foreignSite }
  }

  func respond(to request: HTTPRequest) async -> PageAnswer {
    var answer: PageAnswer
    do {
      try check(request)
      answer = try self.answer(request)
    } catch {
      answer = .fault(PageFault(error))
    }
    answer.fields["Connection"] = "close"
    return answer
  }

  private func answer(_ request: HTTPRequest) throws -> PageAnswer {
    switch (request.method, request.target) {
    case ("GET", "/sessions"): return try .json(SessionList(sessions.all))
    case ("POST", "/sessions/end"):
      guard let wish = wish(SessionEnd.self, request) else {
        throw PageFault.argument("Name a session by its id, or say that all of them end.")
      }
      return try .json(try sessions.end(wish))
    case ("POST", "/open"):
      guard let wish = wish(PageWish.self, request), let gatewaysStore,
        PageWish(store: gatewaysStore).isSame(as: wish)
      else { throw PageFault.absent("No gateway shows that store here.") }
      return try .json(PageAddress(address: address()))
    default: throw PageFault.unknown
    }
  }

  /// - Returns: `nil` for what is of another form.
  private func wish<Value: Decodable>(_ type: Value.Type, _ request: HTTPRequest) -> Value? {
    try? JSONDecoder().decode(type, from: Data(request.body))
  }
}

/// For which store somebody wants to come in.
struct PageWish: Codable, Sendable {
  /// Its file.
  var store: String

  func isSame(as other: PageWish) -> Bool {
    let files = [self, other].map { URL(filePath: $0.store).resolvingSymlinksInPath().path }
    return files[0] == files[1]
  }
}

/// By which a browser gets in, once.
struct PageAddress: Codable, Sendable {
  var address: String
}
