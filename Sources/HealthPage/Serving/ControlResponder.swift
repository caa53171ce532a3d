import Foundation

/// Responds to requests of `hrgate page` and `hrgate page sessions` on the server's Unix domain socket. The
/// server has already checked that the client runs as the same user.
struct ControlResponder: HTTPHandler {
  let sessions: PageSessions
  /// The path of the store if a gateway serves this page, otherwise `nil`.
  let gatewaysStore: String?
  /// Returns the URL of the page with a new one-time code.
  let address: @Sendable () -> String

  func check(_ request: HTTPRequest) throws(PageError) {
    // Only browsers send `Origin`, and no browser needs this socket.
    guard request["origin"] == nil else { throw .foreignSite }
  }

  func respond(to request: HTTPRequest) async -> PageResponse {
    var response: PageResponse
    do {
      try check(request)
      response = try self.response(request)
    } catch {
      response = .error(PageError(error))
    }
    response.fields["Connection"] = "close"
    return response
  }

  private func response(_ request: HTTPRequest) throws -> PageResponse {
    switch (request.method, request.target) {
    case ("GET", "/sessions"): return try .json(SessionList(sessions.all))
    case ("POST", "/sessions/end"):
      guard let wish = wish(SessionEnd.self, request) else {
        throw PageError.argument("Give the id of a session, or all.")
      }
      return try .json(try sessions.end(wish))
    case ("POST", "/open"):
      guard let wish = wish(PageAddressRequest.self, request), let gatewaysStore,
        PageAddressRequest(store: gatewaysStore).isSame(as: wish)
      else { throw PageError.absent("No gateway serves the page for that store here.") }
      return try .json(PageAddress(address: address()))
    default: throw PageError.unknown
    }
  }

  /// Decodes the body of a request.
  /// - Returns: `nil` if it cannot be decoded as this type.
  private func wish<Value: Decodable>(_ type: Value.Type, _ request: HTTPRequest) -> Value? {
    try? JSONDecoder().decode(type, from: Data(request.body))
  }
}

/// A request for the URL of the page that shows a certain store.
struct PageAddressRequest: Codable, Sendable {
  /// The path of the store.
  var store: String

  func isSame(as other: PageAddressRequest) -> Bool {
    let files = [self, other].map { URL(filePath: $0.store).resolvingSymlinksInPath().path }
    return files[0] == files[1]
  }
}

/// The URL of the page with a one-time code.
struct PageAddress: Codable, Sendable {
  var address: String
}
