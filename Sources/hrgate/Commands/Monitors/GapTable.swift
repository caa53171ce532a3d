import Foundation
import HealthDataSync
import HealthSystem

/// Gaps as a table.
enum GapTable {
  private static let header = ["NAME", "ADDRESS", "START", "END", "DURATION", "CAUSE", "LOST"]

  static func lines(_ gaps: [GapView]) -> [String] {
    gaps.isEmpty ? [] : TextTable.lines([header] + gaps.map(row), right: [4, 6])
  }

  private static func row(_ gap: GapView) -> [String] {
    [
      gap.name?.plain ?? "-", gap.monitor, Timestamp.text(gap.start),
      gap.end.map(Timestamp.text) ?? "until now",
      gap.duration.map(text) ?? "-", gap.cause.plain, gap.lost.map { "\($0)" } ?? "-",
    ]
  }

  /// Formats a duration in seconds as its two most significant parts: `0.25 s`, `4 min 10 s`, `3 h 5 min`,
  /// `2 d 4 h`.
  static func text(_ duration: Double) -> String {
    guard duration >= 60 else {
      return
        "\(duration.formatted(.number.precision(.fractionLength(0...2)).grouping(.never).locale(posix))) s"
    }
    let seconds = Int(duration)
    switch seconds {
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
    case ..<86_400: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
    default: return "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
    }
  }

  private static let posix = Locale(identifier: "en_US_POSIX")
}
