import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// What the owner asks over the socket of the server: `hrgate page sessions`. The kernel has said who they
/// are.
struct ControlResponder: Sendable {
  let sessions: PageSessions

  func respond(to request: Request, _ writer: consuming ResponseWriter) async throws {
    let answer: PageAnswer
    do {
      answer = try await self.answer(request)
    } catch {
      answer = .fault(PageFault(error))
    }
    var head = answer.head()
    head.headerFields[.connection] = "close"
    try await writer.write(response: head, body: answer.body)
  }

  private func answer(_ request: Request) async throws -> PageAnswer {
    // A browser that was led to this socket would name its site.
    guard request.headers[.origin] == nil else { throw PageFault.foreignSite }
    switch (request.method, request.head.path) {
    case (.get, "/sessions"): return try .json(SessionList(sessions.all))
    case (.post, "/sessions/end"):
      let body = try await request.body.collect(upTo: 4096)
      guard let wish = try? JSONDecoder().decode(SessionEnd.self, from: Data(body.readableBytesView)) else {
        throw PageFault.argument("Name a session by its id, or say that all of them end.")
      }
      return try .json(try sessions.end(wish))
    default: throw PageFault.unknown
    }
  }
}
