import Foundation
import HealthKit
import HealthStorage
import HealthSystem

/// The names of sessions, the notes about them and the ends of laps, which the user has entered.
///
/// They are in the store beside the samples, so a backup contains them, and each person has their own.
/// Sessions are not stored: they are detected in the heart rates for each request, and an ongoing session
/// grows. Each entry therefore has a source and a time, and belongs to the session that contains this time.
struct SessionMarks: Sendable {
  struct Mark: Sendable {
    let source: String
    let moment: Date
    let text: String
    fileprivate let key: String
  }

  private let prefix: String
  private let ledger: SyncLedger
  /// The entries in chronological order.
  private let marks: [Mark]

  /// - Parameter kind: The kind of entries: `session-title`, `session-note` or `session-lap`.
  init(_ kind: String, of store: SystemStore) async throws {
    let prefix = "\(kind)/"
    self.prefix = prefix
    ledger = SyncLedger(store.database, of: "org.hrgate.page")
    marks = try await ledger.values(underKeysFrom: prefix).compactMap { key, value in
      // After the prefix, a key contains the time in microseconds since 1970, and the source.
      let parts = key.dropFirst(prefix.count).split(separator: "/", maxSplits: 1)
      guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
      return Mark(
        source: String(parts[1]), moment: Microseconds.date(time),
        text: String(decoding: value, as: UTF8.self),
        key: key)
    }.sorted { $0.moment < $1.moment }
  }

  /// Returns the entries in a session in chronological order.
  func within(_ span: DateInterval, from source: String) -> [Mark] {
    marks.filter { $0.source == source && Self.holds(span, $0.moment) }
  }

  /// Removes entries and adds one, in one transaction.
  /// - Parameter text: The text of the new entry; `nil` to add none.
  func replace(_ old: [Mark], with text: String?, at moment: Date, from source: String) async throws {
    var values: [String: Data?] = [:]
    for mark in old { values[mark.key] = .some(nil) }
    if let text { values["\(prefix)\(Microseconds.clamped(moment))/\(source)"] = Data(text.utf8) }
    try await ledger.setValues(values)
  }

  /// Returns whether a session contains a time. A millisecond of tolerance is needed, because earlier
  /// versions stored times that the browser had rounded to milliseconds.
  static func holds(_ span: DateInterval, _ moment: Date) -> Bool {
    (span.start - 0.001...span.end + 0.001).contains(moment)
  }
}
