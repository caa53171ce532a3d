import Foundation
import HealthDataSync

extension JournalEntry {
  /// Creates a journal entry from an event: its line of text, without the time, and its JSON fields.
  ///
  /// - Parameter event: Must not be a measurement, because health values must not get into a log.
  init(_ event: RunEvent.OfPerson<some RunEvent.Printable>) throws {
    let line = event.text
    let time = event.event.time + "  "
    let json = try JSONSerialization.jsonObject(with: Data(JSONLine.text(event).utf8)) as? [String: Any]
    self.init(
      line.hasPrefix(time) ? String(line.dropFirst(time.count)) : line, event.event.priority,
      fields: Dictionary(
        uniqueKeysWithValues: try (json ?? [:]).filter { !($0.value is NSNull) }.map {
          (Self.name(of: $0), try Self.text($1))
        }))
  }

  /// Creates a journal entry from a notice, which is not an event.
  init(notice: String) { self.init(notice, .notice, fields: ["HRGATE_EVENT": "notice"]) }

  /// Returns the name of the journal field for a JSON key: `HRGATE_HELD_BACK` for `heldBack`.
  private static func name(of key: String) -> String {
    "HRGATE_" + key.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
  }

  /// Returns a JSON value as text; arrays and objects as JSON.
  private static func text(_ value: Any) throws -> String {
    if let text = value as? String { return text }
    guard JSONSerialization.isValidJSONObject(value) else { return "\(value)" }
    let json = try JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
    return String(decoding: json, as: UTF8.self)
  }
}
