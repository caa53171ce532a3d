import Foundation
import HealthKit
import HealthStorage
import HealthSystem

/// The names that somebody gives to the times in which they wore a strap.
///
/// They are kept in the store, beside the samples: a backup has them, and each person has their own. A
/// session is found anew each time, so a name belongs to a source and a moment, and the session that holds
/// the moment has it: also one that has grown since.
struct SessionTitles: Sendable {
  /// More letters are no name.
  static let longest = 100

  private struct Title: Sendable {
    let key: String
    let source: String
    let moment: Date
    let text: String
  }

  private static let prefix = "session-title/"

  private let ledger: SyncLedger
  /// In order of time.
  private var titles: [Title] = []

  init(of store: SystemStore) async throws {
    ledger = SyncLedger(store.database, of: "org.hrgate.page")
    for (key, value) in try await ledger.values(underKeysFrom: Self.prefix) {
      // Microseconds since 1970, and the source.
      let parts = key.dropFirst(Self.prefix.count).split(separator: "/", maxSplits: 1)
      guard parts.count == 2, let time = Int64(parts[0]) else { continue }
      titles.append(
        Title(
          key: key, source: String(parts[1]), moment: Microseconds.date(time),
          text: String(decoding: value, as: UTF8.self)))
    }
    titles.sort { $0.moment < $1.moment }
  }

  /// - Returns: `nil` where it has none.
  func title(of span: DateInterval, from source: String) -> String? {
    titles.first { $0.source == source && Self.holds(span, $0.moment) }?.text
  }

  /// - Parameter text: `nil` for none any more.
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

  /// Titles of earlier versions have times in a browser's milliseconds.
  private static func holds(_ span: DateInterval, _ moment: Date) -> Bool {
    (span.start - 0.001...span.end + 0.001).contains(moment)
  }
}
