import Foundation
import HealthKit
import HealthStorage
import HealthSystem

/// What the user attaches to moments of sessions: names and laps.
///
/// They are in the store beside the samples, so a backup contains them and each person has their own.
/// Sessions are detected each time, and can grow. So a mark belongs to a source and a moment, and to the
/// session that contains the moment.
struct SessionMarks: Sendable {
  struct Mark: Sendable {
    let source: String
    let moment: Date
    let text: String
    fileprivate let key: String
  }

  private let prefix: String
  private let ledger: SyncLedger
  /// In order of time.
  private let marks: [Mark]

  /// - Parameter kind: `session-title` or `session-lap`.
  init(_ kind: String, of store: SystemStore) async throws {
    let prefix = "\(kind)/"
    self.prefix = prefix
    ledger = SyncLedger(store.database, of: "org.hrgate.page")
    marks = try await ledger.values(underKeysFrom: prefix).compactMap { key, value in
      // The rest of a key: microseconds since 1970, and the source.
      let parts = key.dropFirst(prefix.count).split(separator: "/", maxSplits: 1)
      guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
      return Mark(
        source: String(parts[1]), moment: Microseconds.date(time),
        text: String(decoding: value, as: UTF8.self),
        key: key)
    }.sorted { $0.moment < $1.moment }
  }

  /// Returns the marks in a session, in order of time.
  func within(_ span: DateInterval, from source: String) -> [Mark] {
    marks.filter { $0.source == source && Self.holds(span, $0.moment) }
  }

  /// Removes marks and adds one, in one transaction.
  /// - Parameter text: `nil` to add none.
  func replace(_ old: [Mark], with text: String?, at moment: Date, from source: String) async throws {
    var values: [String: Data?] = [:]
    for mark in old { values[mark.key] = .some(nil) }
    if let text { values["\(prefix)\(Microseconds.clamped(moment))/\(source)"] = Data(text.utf8) }
    try await ledger.setValues(values)
  }

  /// Whether a session contains a moment. Earlier versions stored times in the browser's milliseconds, hence
  /// the tolerance.
  static func holds(_ span: DateInterval, _ moment: Date) -> Bool {
    (span.start - 0.001...span.end + 0.001).contains(moment)
  }
}
