/// Formats rows as a table with aligned columns.
enum TextTable {
  /// - Parameter right: Indices of right-aligned columns, such as numbers.
  static func lines(_ rows: [[String]], right: Set<Int> = []) -> [String] {
    let widths = widths(of: rows)
    return rows.map { row in
      let fields = zip(row, widths).enumerated().map { column, field in
        let space = String(repeating: " ", count: field.1 - field.0.columns)
        return right.contains(column) ? space + field.0 : field.0 + space
      }
      let line = fields.joined(separator: gap)
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// Returns the width of the widest line.
  static func columns(_ rows: [[String]]) -> Int {
    let widths = widths(of: rows)
    return widths.reduce(0, +) + gap.count * max(0, widths.count - 1)
  }

  private static let gap = "  "

  private static func widths(of rows: [[String]]) -> [Int] {
    let columns = rows.map(\.count).max() ?? 0
    return (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
    }
  }
}
