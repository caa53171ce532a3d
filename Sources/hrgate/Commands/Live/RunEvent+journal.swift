import Foundation
import HealthDataSync

extension JournalEntry {
  /// Makes the entry of an event: its line without the time, which the journal has, and its JSON fields.
  ///
  /// - Parameter event: Not a measurement: health values must not get into a log.
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

  /// Makes the entry of a notice, which is not an event.
  init(notice: String) { self.init(notice, .notice, fields: ["HRGATE_EVENT": "notice"]) }

  /// The field name of a JSON key: `HRGATE_HELD_BACK` for `heldBack`.
  private static func name(of key: String) -> String {
    "HRGATE_" + key.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
  }

  /// The text of a JSON value: arrays and objects as JSON.
  private static func text(_ value: Any) throws -> String {
    if let text = value as? String { return text }
    guard JSONSerialization.isValidJSONObject(value) else { return "\(value)" }
    let json = try JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
    return String(decoding: json, as: UTF8.self)
  }
}
