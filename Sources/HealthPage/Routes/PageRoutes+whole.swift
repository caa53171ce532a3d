import Foundation
import HealthKit
import HealthStorage
import HealthSystem

extension PageRoutes {
  /// What the page needs first.
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

  /// What changes are sent with.
  var csrf: String
  /// Absent for the owner's store, and for a file's.
  var person: String?
  /// Empty where nobody is known.
  var people: [Person]
  /// Where the page's own store lies.
  var store: String
  var isEmpty: Bool
  var hasGateway: Bool
  /// The program's.
  var version: String
  /// The server's clock.
  var time: Date
}
