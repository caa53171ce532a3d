import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// What the owner asks over the socket of the server: `hrgate page sessions`, and `hrgate page` where a
/// gateway serves it already. The kernel has said who they are.
struct ControlResponder: Sendable {
  let sessions: PageSessions
  /// That which a gateway shows; `nil` where no gateway serves the page.
  let gatewaysStore: String?
  /// A new address, with a code.
  let address: @Sendable () -> String

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
      guard let wish = try await wish(SessionEnd.self, request) else {
        throw PageFault.argument("Name a session by its id, or say that all of them end.")
      }
      return try .json(try sessions.end(wish))
    case (.post, "/open"):
      guard let wish = try await wish(PageWish.self, request), let gatewaysStore,
        PageWish(store: gatewaysStore).isSame(as: wish)
      else { throw PageFault.absent("No gateway shows that store here.") }
      return try .json(PageAddress(address: address()))
    default: throw PageFault.unknown
    }
  }

  /// - Returns: `nil` for what is of another form.
  private func wish<Value: Decodable>(_ type: Value.Type, _ request: Request) async throws -> Value? {
    let body = try await request.body.collect(upTo: Question.largestBody)
    return try? JSONDecoder().decode(type, from: Data(body.readableBytesView))
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
