import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for the list of sessions (times in which a monitor was worn), and their names.
  mutating func addWorn(_ stores: StoreCache) {
    reads["/api/worn"] = { question in
      let store = try stores.store(for: question)
      var answer = try await WornResponse.of(
        store, question.selection(), skipping: question.count("skip", in: 0...1_000_000) ?? 0)
      try await answer.addActivities(store.healthStore)
      if let maximum = try question.number("maximum", in: 1...1000) {
        try await answer.addLoads(maximum: maximum, store.healthStore)
      }
      return try .json(answer)
    }
    changes["/api/worn/title"] = { question in
      let change = try question.body(TitleChange.self)
      try await SessionTitles(of: stores.store(for: question)).set(
        change.checkedTitle(), of: change.span(), from: change.source)
      return try .json(Done())
    }
  }
}

private struct TitleChange: Decodable {
  var source: String
  /// The start and end of the session.
  var start: Date
  var end: Date
  /// The new name; `null` to remove it.
  var title: String?

  func span() throws(PageError) -> DateInterval {
    guard start <= end else { throw .argument("The end of a session cannot be before its start.") }
    return DateInterval(start: start, end: end)
  }

  func checkedTitle() throws(PageError) -> String? {
    guard let title, !title.isEmpty else { return nil }
    guard title.count <= SessionTitles.longest else {
      throw .argument("A name has at most \(SessionTitles.longest) characters.")
    }
    return title
  }
}
