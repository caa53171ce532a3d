import Foundation
import HealthKit
import HealthStorage
import HealthSystem

extension PageRoutes {
  /// Adds the first request of the page.
  mutating func addWhole(_ stores: StoreCache, _ monitors: PageMonitors, version: String) {
    reads["/api/session"] = { question in
      let store = try stores.store(for: question)
      let people = try stores.people()
      return try .json(
        SessionResponse(
          csrf: question.session.changeKey.text, person: stores.person(for: question),
          people: people.map { SessionResponse.Person(name: $0.text, isOwner: $0.isOwner ? true : nil) },
          store: stores.file, isEmpty: try await store.isEmpty(), hasGateway: store.database.hasGateway,
          opens: try await Self.opening(store, monitors, stores.person(for: question)),
          version: version, time: Date()))
    }
  }

  /// How long a monitor without a measurement counts as live, in seconds.
  private static let liveTime = 300.0

  /// The part that a new window shows.
  private static func opening(
    _ store: SystemStore, _ monitors: PageMonitors, _ person: String?
  ) async throws -> SessionResponse.Opening {
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

  enum Opening: String, Codable, Sendable { case welcome, now, summary }

  /// The key that the page sends with changes.
  var csrf: String
  /// Absent for the owner's store and for a store at another path.
  var person: String?
  /// Empty for a store at another path.
  var people: [Person]
  /// Path of the store that the page was started for.
  var store: String
  var isEmpty: Bool
  var hasGateway: Bool
  /// The part to open if the address names none: `now` while a strap is live, else `summary`; `welcome` in an
  /// empty store.
  var opens: Opening
  /// Version of the program.
  var version: String
  /// Time of the server's clock.
  var time: Date
}
