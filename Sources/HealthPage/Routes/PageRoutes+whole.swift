import Foundation
import HealthKit
import HealthStorage
import HealthSystem

extension PageRoutes {
  /// Adds the route for the first request that the page sends when it is opened.
  mutating func addWhole(_ stores: StoreCache, _ monitors: PageMonitors, version: String) {
    reads["/api/session"] = { request in
      let store = try stores.store(for: request)
      let people = try stores.people()
      return try .json(
        SessionResponse(
          csrf: request.session.changeKey.text, person: stores.person(for: request),
          people: people.map { SessionResponse.Person(name: $0.text, isOwner: $0.isOwner ? true : nil) },
          store: stores.file, isEmpty: try await store.isEmpty(), hasGateway: store.database.hasGateway,
          opens: try await Self.opening(store, monitors, stores.person(for: request)),
          version: version, time: Date()))
    }
  }

  /// Number of seconds after its last measurement during which a monitor counts as live.
  private static let liveTime = 300.0

  /// Returns the part of the page to show in a new window.
  private static func opening(
    _ store: SystemStore, _ monitors: PageMonitors, _ person: String?
  ) async throws -> SessionResponse.Opening {
    // The page must open even if the requests cannot be read.
    if (try? await store.nextPendingAuthorization(after: nil)) != nil { return .access }
    if try await store.isEmpty() { return .welcome }
    let report = try await monitors.report(store, person)
    let isLive = report.monitors.contains { monitor in
      monitor.state == "following"
        || monitor.lastMeasurement.map { -$0.timeIntervalSinceNow < liveTime } ?? false
    }
    if report.gateway.isRunning, isLive { return .now }
    return try await store.sampleCounts().isEmpty ? .now : .summary
  }
}

struct SessionResponse: Codable, Sendable {
  struct Person: Codable, Sendable {
    var name: String
    var isOwner: Bool?
  }

  enum Opening: String, Codable, Sendable { case access, welcome, now, summary }

  /// The session's change key, which the page sends with each request for a change.
  var csrf: String
  /// The person to whom the store belongs; absent for the account owner's store and for a store at another
  /// path.
  var person: String?
  /// The account owner and all other people; empty for a store at another path.
  var people: [Person]
  /// The path of the store for which the page was started.
  var store: String
  var isEmpty: Bool
  var hasGateway: Bool
  /// The part of the page to show if the URL does not name one: `access` if an app waits for an answer,
  /// `welcome` if the store is empty, `now` if a monitor is live, otherwise `summary`.
  var opens: Opening
  /// The version of the program.
  var version: String
  /// The time on the server's clock.
  var time: Date
}
