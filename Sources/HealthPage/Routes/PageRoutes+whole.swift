import Foundation
import HealthKit
import HealthStorage
import HealthSystem

extension PageRoutes {
  /// Adds the first request of the page.
  mutating func addWhole(_ stores: StoreCache, version: String) {
    reads["/api/session"] = { question in
      let store = try stores.store(for: question)
      let people = try stores.people()
      return try .json(
        SessionResponse(
          csrf: question.session.changeKey.text, person: stores.person(for: question),
          people: people.map { SessionResponse.Person(name: $0.text, isOwner: $0.isOwner ? true : nil) },
          store: stores.file, isEmpty: try await store.isEmpty(), hasGateway: store.database.hasGateway,
          version: version, time: Date()))
    }
  }
}

struct SessionResponse: Codable, Sendable {
  struct Person: Codable, Sendable {
    var name: String
    var isOwner: Bool?
  }

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
  /// Version of the program.
  var version: String
  /// Time of the server's clock.
  var time: Date
}
