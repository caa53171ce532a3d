import Foundation
import HealthSystem

/// The names that the user gives to sessions, or the notes about them.
struct SessionTexts: Sendable {
  enum Kind: String, Sendable {
    case title = "session-title"
    /// Plain text of a few lines.
    case note = "session-note"
  }

  /// Maximum number of characters in a name.
  static let longestTitle = 100
  /// Maximum number of characters in a note.
  static let longestNote = 2000
  /// Maximum number of bytes in a note. A character may have many.
  static let mostNoteBytes = 4 * longestNote

  private let marks: SessionMarks

  init(_ kind: Kind, of store: SystemStore) async throws {
    marks = try await SessionMarks(kind.rawValue, of: store)
  }

  /// Returns the text of a session.
  /// - Parameter source: The source of the session or, for a workout that was not detected in heart rates, the
  ///   workout's UUID, because workouts of one source may touch or overlap.
  /// - Returns: `nil` if it has none.
  func text(of span: DateInterval, from source: String) -> String? {
    marks.within(span, from: source).first?.text
  }

  /// Sets or removes the text of a session.
  /// - Parameter text: The text; `nil` to remove it.
  func set(_ text: String?, of span: DateInterval, from source: String) async throws {
    try await marks.replace(
      marks.within(span, from: source), with: text, at: span.start, from: source)
  }
}
