import Foundation
import HealthKit
import HealthStorage
import HealthSystem

/// The names that the user gave to sessions (times in which a monitor was worn).
///
/// The names are stored in the health store, so a backup includes them and each person has their own.
/// Sessions are not stored: they are detected for each request and may grow. A name is therefore stored with
/// a source and a time, and applies to the session that contains that time.
struct SessionTitles: Sendable {
  /// Maximum number of characters in a name.
  static let longest = 100

  private struct Title: Sendable {
    let key: String
    let source: String
    let moment: Date
    let text: String
  }

  private static let prefix = "session-title/"

  private let ledger: SyncLedger
  /// The names in chronological order.
  private var titles: [Title] = []

  init(of store: SystemStore) async throws {
    ledger = SyncLedger(store.database, of: "org.hrgate.page")
    for (key, value) in try await ledger.values(underKeysFrom: Self.prefix) {
      // The rest of the key is the time in microseconds since 1970, followed by the source.
      let parts = key.dropFirst(Self.prefix.count).split(separator: "/", maxSplits: 1)
      guard parts.count == 2, let time = Int64(parts[0]) else { continue }
      titles.append(
        Title(
          key: key, source: String(parts[1]), moment: Microseconds.date(time),
          text: String(decoding: value, as: UTF8.self)))
    }
    titles.sort { $0.moment < $1.moment }
  }

  /// Returns the name of a session.
  /// - Returns: `nil` if it has no name.
  func title(of span: DateInterval, from source: String) -> String? {
    titles.first { $0.source == source && Self.holds(span, $0.moment) }?.text
  }

  /// Sets or removes the name of a session.
  /// - Parameter text: `nil` to remove it.
  func set(_ text: String?, of span: DateInterval, from source: String) async throws {
    var values: [String: Data?] = [:]
    for title in titles where title.source == source && Self.holds(span, title.moment) {
      values[title.key] = .some(nil)
    }
    if let text {
      let time = Microseconds.clamped(span.start)
      values["\(Self.prefix)\(time)/\(source)"] = Data(text.utf8)
    }
    try await ledger.setValues(values)
  }

  /// Whether a session contains a moment. Earlier versions stored times in the browser's milliseconds, hence
  /// the tolerance.
  static func holds(_ span: DateInterval, _ moment: Date) -> Bool {
    (span.start - 0.001...span.end + 0.001).contains(moment)
  }
}
