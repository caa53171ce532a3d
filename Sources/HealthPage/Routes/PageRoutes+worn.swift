import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for the list of sessions (times in which a monitor was worn, and other workouts), their
  /// names and the notes about them.
  mutating func addWorn(_ stores: StoreCache) {
    reads["/api/worn"] = { request in
      let store = try stores.store(for: request)
      var response = try await WornResponse.of(
        store, request.choice(), skipping: request.count("skip", in: 0...1_000_000) ?? 0)
      try await response.addActivities(store.healthStore)
      if let maximum = try request.number("maximum", in: 1...1000) {
        try await response.addLoads(maximum: maximum, store.healthStore)
      }
      return try .json(response)
    }
    changes["/api/worn/title"] = { request in
      let change = try request.body(SessionChange.self)
      try await SessionTexts(.title, of: stores.store(for: request)).set(
        change.checkedTitle(), of: change.span(), from: change.textSource)
      return try .json(Done())
    }
    changes["/api/worn/note"] = { request in
      let change = try request.body(SessionChange.self)
      try await SessionTexts(.note, of: stores.store(for: request)).set(
        change.checkedNote(), of: change.span(), from: change.textSource)
      return try .json(Done())
    }
  }
}

private struct SessionChange: Decodable {
  var source: String
  /// The workout, for a session that was not detected in heart rates.
  var workout: UUID?
  /// The start and end of the session.
  var start: Date
  var end: Date
  /// The new name; `null` to remove it.
  var title: String?
  /// The new note; `null` to remove it.
  var note: String?

  var textSource: String { workout?.uuidString ?? source }

  func span() throws(PageError) -> DateInterval {
    guard start <= end else { throw .argument("The end of a session cannot be before its start.") }
    return DateInterval(start: start, end: end)
  }

  func checkedTitle() throws(PageError) -> String? {
    guard let title, !title.isEmpty else { return nil }
    guard title.count <= SessionTexts.longestTitle else {
      throw .argument("A name has at most \(SessionTexts.longestTitle) characters.")
    }
    return title
  }

  /// Returns the note without control characters, except for line feeds, and without empty lines at its ends.
  func checkedNote() throws(PageError) -> String? {
    let lines = (note ?? "").replacing("\t", with: " ")
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { line in
        String(
          String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
      }
    let text = lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { return nil }
    guard text.count <= SessionTexts.longestNote, text.utf8.count <= SessionTexts.mostNoteBytes else {
      throw .argument("A note has at most \(SessionTexts.longestNote) characters.")
    }
    return text
  }
}
