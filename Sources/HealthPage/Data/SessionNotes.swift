import Foundation
import HealthSystem

/// The notes that the user writes about sessions: plain text of a few lines.
struct SessionNotes: Sendable {
  /// Maximum number of characters in a note.
  static let longest = 2000
  /// Maximum number of bytes in a note. A character may have many.
  static let mostBytes = 4 * longest

  private let marks: SessionMarks

  init(of store: SystemStore) async throws {
    marks = try await SessionMarks("session-note", of: store)
  }

  /// Returns the note about a session.
  /// - Returns: `nil` if it has no note.
  func note(of span: DateInterval, from source: String) -> String? {
    marks.within(span, from: source).first?.text
  }

  /// Sets or removes the note about a session.
  /// - Parameter text: The note; `nil` to remove it.
  func set(_ text: String?, of span: DateInterval, from source: String) async throws {
    try await marks.replace(
      marks.within(span, from: source), with: text, at: span.start, from: source)
  }
}
