import Foundation
import HTTPTypes
import HealthKit
import HummingbirdCore
import NIOCore

/// What becomes of a request on loopback: the door first, then the session, then what it asks for.
struct PageResponder: Sendable {
  let door: Door
  let codes: OneTimeCodes
  let sessions: PageSessions
  let routes: PageRoutes
  let limit: RequestLimit
  /// Holds the session; it carries the port, since cookies of all ports are one browser's.
  let cookie: String

  func respond(to request: Request, _ writer: consuming ResponseWriter, on wire: Wire) async throws {
    let answer = await answer(request, wire)
    var head = answer.head()
    // Nobody waits for the rest of what was refused, such as a body without an end.
    let isRefused = request.method == .post && answer.status != .ok
    if isRefused { head.headerFields[.connection] = "close" }
    if request.method == .head { return try await writer.writeResponse(head) }
    try await writer.write(response: head, body: answer.body)
    // Whoever goes on sending would not hear a connection that was cut.
    if isRefused { wire.sayNoMore() }
  }

  private func answer(_ request: Request, _ wire: Wire) async -> PageAnswer {
    let visit = Visit(request, cookie: cookie)
    do {
      try door.admit(visit)
      return try await limit.within { try await admitted(request, visit, wire) }
    } catch let fault as PageFault {
      return request.isOfScript ? .fault(fault) : .sentence(fault)
    } catch {
      return .fault(PageFault(error))
    }
  }

  private func admitted(_ request: Request, _ visit: Visit, _ wire: Wire) async throws -> PageAnswer {
    let (path, parameters) = try Question.parts(of: request.head.path ?? "")
    if path == "/open" { return try open(request, parameters["code"] ?? "") }
    // How a sentence looks that is for who has no session. It says nothing of anybody.
    if path == PageAnswer.look, visit.method == .read { return try routes.look(packed: request.acceptsGzip) }
    guard let session = visit.keys.lazy.compactMap({ sessions.session(ofKey: $0) }).first else {
      throw PageFault.noSession
    }
    switch visit.method {
    case .read: break
    case .change: try door.admitChange(visit, in: session)
    case .other: throw PageFault.method
    }
    let question = try Question(request, in: session, on: wire)
    // What was begun to be changed is changed, whether or not they wait to hear of it.
    if visit.method == .change { return try await routes.answer(question, isChange: true) }
    return try await wire.whileHeard { try await routes.answer(question, isChange: false) }
  }

  /// A code for a session, and off to the page: the code must not stay in the address.
  private func open(_ request: Request, _ code: String) throws -> PageAnswer {
    // Who only looks whether something is there must not use it up.
    guard request.method == .get else { throw PageFault.method }
    guard codes.redeem(code) else { throw PageFault.code }
    var answer = PageAnswer("text/plain; charset=utf-8", [], status: .seeOther)
    answer.fields[.location] = "/"
    answer.fields[.setCookie] = "\(cookie)=\(sessions.open()); Path=/; HttpOnly; SameSite=Strict"
    return answer
  }
}

extension Visit {
  /// - Parameter cookie: The name of this server's.
  init(_ request: Request, cookie: String) {
    let fields = request.headers
    switch request.method {
    case .get, .head: method = .read
    case .post: method = .change
    default: method = .other
    }
    // A second one stays among the fields.
    let others = HTTPField.Name("Host").map { fields[values: $0] } ?? []
    host = others.isEmpty ? request.head.authority : nil
    origin = fields[.origin]
    fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { fields[$0] }
    mediaType = fields[.contentType]
    changeKey = HTTPField.Name("X-HRGate-CSRF").flatMap { fields[$0] }
    keys = Array(fields[values: .cookie].flatMap { Self.values(of: cookie, in: $0) }.prefix(Self.mostKeys))
  }

  /// More are no accident.
  private static let mostKeys = 16

  /// What cookies of a name hold, of `name=value; other=value`.
  private static func values(of cookie: String, in field: String) -> [String] {
    field.split(separator: ";").compactMap { pair in
      let parts = pair.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0] == cookie ? String(parts[1]) : nil
    }
  }
}

extension Request {
  /// Whether a script asked, and not a person who sees the answer.
  fileprivate var isOfScript: Bool { (head.path ?? "").hasPrefix("/api/") || method == .post }

  /// Browsers all do.
  var acceptsGzip: Bool {
    (headers[.acceptEncoding] ?? "").split { $0 == "," || $0 == " " }.contains("gzip")
  }
}

extension PageFault {
  /// Of what a route threw.
  init(_ error: any Error) {
    switch error {
    case let fault as PageFault: self = fault
    case is NIOTooManyBytesError: self = .tooLarge
    case let error as HKError: self = .store(error.localizedDescription)
    default: self = .store("It cannot be told: \(error.localizedDescription)")
    }
  }
}
