import Foundation

/// A small plot for a terminal. Each column shows the average as a dot on a line from minimum to maximum.
struct TerminalPlot {
  struct Column {
    var minimum: Double
    var average: Double
    var maximum: Double
  }

  private static let height = 12

  /// Returns the lines of the plot; empty if no column has a value.
  ///
  /// - Parameters:
  ///   - columns: One per interval; `nil` for an interval without samples.
  ///   - unit: The text above the axis.
  ///   - start, end: The texts below the ends of the plot.
  static func lines(_ columns: [Column?], unit: String, start: String, end: String) -> [String] {
    let values = columns.compactMap(\.self)
    guard let least = values.map(\.minimum).min(), let greatest = values.map(\.maximum).max() else {
      return []
    }
    let bottom = least.rounded(.down)
    let step = max((greatest.rounded(.up) - bottom) / Double(height - 1), 0.1)
    func row(_ value: Double) -> Int { Int(((value - bottom) / step).rounded()) }

    var lines = [label("") + unit]
    for level in stride(from: height - 1, through: 0, by: -1) {
      let cells = columns.map { column -> Character in
        guard let column, row(column.minimum) <= level, level <= row(column.maximum) else { return " " }
        return row(column.average) == level ? "●" : "│"
      }
      let isLabelled = level.isMultiple(of: 3) || level == height - 1
      lines.append(
        label(isLabelled ? String(Int((bottom + Double(level) * step).rounded())) : "") + "┤" + cells)
    }
    lines.append(label("") + "└" + String(repeating: "─", count: columns.count))
    let gap = max(1, columns.count + 1 - start.count - end.count)
    lines.append(label("") + start + String(repeating: " ", count: gap) + end)
    return lines
  }

  private static func label(_ text: String) -> String {
    String(repeating: " ", count: max(0, 6 - text.count)) + text + " "
  }
}
