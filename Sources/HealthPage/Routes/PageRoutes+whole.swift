import Foundation
import HealthKit
import HealthStorage
import HealthSystem

extension PageRoutes {
  /// Adds the first request of the page.
  mutating func addWhole(_ shelf: StoreShelf, version: String) {
    reads["/api/session"] = { question in
      let store = try shelf.store(for: question)
      let people = try shelf.people()
      return try .json(
        SessionAnswer(
          csrf: question.session.changeKey.text, person: shelf.person(for: question),
          people: people.map { SessionAnswer.Person(name: $0.text, isOwner: $0.isOwner ? true : nil) },
          store: shelf.file, isEmpty: try await store.isEmpty(), hasGateway: store.database.hasGateway,
          version: version, time: Date()))
    }
  }
}

struct SessionAnswer: Codable, Sendable {
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
