import Foundation
import HealthDataSync
import HealthSystem

/// Formats windows as a table.
enum HRVTable {
  private static let heading = [
    "from", "beats", "artifacts", "NN ms", "SDNN ms", "RMSSD ms", "pNN50 %", "LF ms²", "HF ms²", "LF/HF",
    "α1",
  ]

  /// Measures that are not computed for an unsuitable window: JSON name and column heading.
  private static let withholdable = [("lf", "LF"), ("hf", "HF"), ("lfhf", "LF/HF"), ("dfaAlpha1", "α1")]

  /// Returns the table. If a measure is not computed for a window, its cell has a dash, and the reason
  /// follows the row. The reason why a complete window was rejected follows its row, too.
  static func lines(_ windows: [VariabilityView]) -> [String] {
    let rows = windows.map(row)
    let table = TextTable.lines([heading] + rows, right: Set(1..<heading.count))
    return zip(table, [""] + windows.map(reasons)).map { $0 + $1 }
  }

  private static func reasons(_ window: VariabilityView) -> String {
    if let refused = window.refused { return "  refused: \(refused)" }
    var figures: [(reason: String, names: [String])] = []
    for (name, title) in withholdable {
      guard let reason = window.withheld?[name] else { continue }
      if figures.last?.reason == reason {
        figures[figures.count - 1].names.append(title)
      } else {
        figures.append((reason, [title]))
      }
    }
    return figures.map { "  \($0.names.joined(separator: ", ")): \($0.reason)" }.joined()
  }

  private static func row(_ window: VariabilityView) -> [String] {
    [Timestamp.clockTime(window.start), String(window.beats), percent(window.artefacts)]
      + [
        (window.meanNN, 0), (window.sdnn, 1), (window.rmssd, 1), (window.pnn50, 1), (window.lf, 0),
        (window.hf, 0), (window.lfhf, 2), (window.dfaAlpha1, 2),
      ].map(number)
  }

  private static func percent(_ share: Double) -> String { number(100 * share, 1) + " %" }

  private static func number(_ value: Double?, _ digits: Int) -> String {
    guard let value else { return "–" }
    return value.formatted(
      .number.precision(.fractionLength(digits)).grouping(.never).locale(.init(identifier: "C")))
  }
}
