/// Rows under one another, each column as wide as its widest field.
enum TextTable {
  static func lines(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
    }
    return rows.map { row in
      let fields = zip(row, widths).map { field, width in
        field + String(repeating: " ", count: width - field.columns)
      }
      let line = fields.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
