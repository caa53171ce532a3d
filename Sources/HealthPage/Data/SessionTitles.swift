import Foundation
import HealthSystem

/// The names that the user gives to sessions.
struct SessionTitles: Sendable {
  /// Maximum number of characters in a name.
  static let longest = 100

  private let marks: SessionMarks

  init(of store: SystemStore) async throws {
    marks = try await SessionMarks("session-title", of: store)
  }

  /// Returns the name of a session.
  /// - Returns: `nil` if it has no name.
  func title(of span: DateInterval, from source: String) -> String? {
    marks.within(span, from: source).first?.text
  }

  /// Sets or removes the name of a session.
  /// - Parameter text: The name; `nil` to remove it.
  func set(_ text: String?, of span: DateInterval, from source: String) async throws {
    try await marks.replace(
      marks.within(span, from: source), with: text, at: span.start, from: source)
  }
}
