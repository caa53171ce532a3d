import Foundation
import HealthKit
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// A running page server for a test.
struct ServedPage: Sendable {
  let opening: PageServer.Opening
  let client: PageClient

  var port: Int { opening.port }
  var code: String { String(opening.address.split(separator: "=").last ?? "") }

  /// Returns a client that has used the one-time code.
  func entered() async throws -> PageClient {
    let answer = try await client.get("/open?code=\(code)")
    var entered = client
    entered.cookie = answer.fields["set-cookie"].map { String($0.prefix { $0 != ";" }) }
    entered.changeKey = try await entered.get("/api/session").object()["csrf"] as? String
    return entered
  }

  static func serve<Value: Sendable>(
    _ page: PageServer, socketsIn folder: String? = nil,
    _ body: @escaping @Sendable (ServedPage) async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { tasks in
      let (openings, opened) = AsyncStream.makeStream(of: PageServer.Opening.self)
      tasks.addTask {
        defer { opened.finish() }
        try await page.run(port: .exactly(0), socketsIn: folder) { opened.yield($0) }
        return nil
      }
      tasks.addTask {
        guard let opening = await openings.first(where: { _ in true }) else { return nil }
        return try await body(ServedPage(opening: opening, client: PageClient(port: opening.port)))
      }
      defer { tasks.cancelAll() }
      while let outcome = try await tasks.next() {
        if let outcome { return outcome }
      }
      throw CancellationError()
    }
  }
}

/// A clock that only moves when the test moves it.
final class StandingClock: Sendable {
  private let instant = Atomic(0)
  private let start = ContinuousClock.now

  var now: ContinuousClock.Instant { start + .seconds(instant.load(ordering: .relaxed)) }
  func advance(seconds: Int) { instant.add(seconds, ordering: .relaxed) }
}
