import Foundation

/// Responds to requests on loopback: checks access, then calls the route.
struct PageResponder: HTTPHandler {
  let originPolicy: OriginPolicy
  let codes: OneTimeCodes
  let sessions: PageSessions
  let routes: PageRoutes
  let limit: RequestLimit
  /// The name of the session cookie. It contains the port, because browsers share cookies between ports.
  let cookie: String

  func check(_ request: HTTPRequest) throws(PageError) {
    let requestHead = RequestHead(request, cookie: cookie)
    try originPolicy.admit(requestHead)
    _ = try session(of: requestHead)
  }

  func upload(for request: HTTPRequest) throws(PageError) -> UploadedFile? {
    guard request.isUpload else { return nil }
    return try routes.newUpload(request.contentLength)
  }

  func respond(to request: HTTPRequest) async -> PageResponse {
    do {
      let requestHead = RequestHead(request, cookie: cookie)
      try originPolicy.admit(requestHead)
      return try await limit.within { try await admitted(request, requestHead) }
    } catch {
      return .requestError(PageError(error), of: request)
    }
  }

  private func admitted(_ request: HTTPRequest, _ requestHead: RequestHead) async throws -> PageResponse {
    let (path, parameters) = try PageRequest.parts(of: request.target)
    if path == "/open" { return try open(request, parameters["code"] ?? "") }
    // Allow the style sheet without a session, because the error page needs it. It contains no data.
    if path == PageResponse.look, requestHead.method == .read { return try routes.look() }
    let pageRequest = try PageRequest(request, in: session(of: requestHead))
    return try await routes.response(pageRequest, isChange: requestHead.method == .change)
  }

  /// Returns the session of a request after checking that the request is allowed in it.
  private func session(of requestHead: RequestHead) throws(PageError) -> PageSessions.Session {
    guard let session = requestHead.keys.lazy.compactMap({ sessions.session(ofKey: $0) }).first else {
      throw .noSession
    }
    switch requestHead.method {
    case .read: break
    case .change: try originPolicy.admitChange(requestHead, in: session)
    case .other: throw .method
    }
    return session
  }

  /// Exchanges a one-time code for a session. The response is a redirect, which removes the code from the
  /// address bar.
  private func open(_ request: HTTPRequest, _ code: String) throws(PageError) -> PageResponse {
    // Do not accept HEAD: a link previewer may send it and use up the code.
    guard request.method == "GET" else { throw .method }
    guard codes.redeem(code) else { throw .code }
    var response = PageResponse("text/plain; charset=utf-8", [], status: .seeOther)
    response.fields["Location"] = "/"
    response.fields["Set-Cookie"] = "\(cookie)=\(sessions.open()); Path=/; HttpOnly; SameSite=Strict"
    return response
  }
}

extension HTTPRequest {
  /// Whether the body of the request is a file.
  var isUpload: Bool { isChange && target.prefix { $0 != "?" } == PageRoutes.uploadPath }
}

extension RequestHead {
  /// Creates the head from a request.
  /// - Parameter cookie: The name of this server's cookie.
  init(_ request: HTTPRequest, cookie: String) {
    switch request.method {
    case "GET", "HEAD": method = .read
    case "POST": method = .change
    default: method = .other
    }
    let hosts = request.values(of: "host")
    host = hosts.count == 1 ? hosts[0] : nil
    origin = request["origin"]
    fetchSite = request["sec-fetch-site"]
    mediaType = request["content-type"]
    isUpload = request.isUpload
    changeKey = request["x-hrgate-csrf"]
    keys = Array(
      request.values(of: "cookie").flatMap { Self.values(of: cookie, in: $0) }.prefix(Self.mostKeys))
  }

  /// Maximum number of cookies with this server's cookie name to try.
  private static let mostKeys = 16

  /// Returns the values of the cookies with a name, from a field such as `name=value; other=value`.
  private static func values(of cookie: String, in field: String) -> [String] {
    field.split(separator: ";").compactMap { pair in
      let parts = pair.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0] == cookie ? String(parts[1]) : nil
    }
  }
}
