import Foundation

/// A tab-separated data file: a line of column names, then a line for each row.
struct Table {
  struct Row {
    fileprivate let columns: [String: Int]
    fileprivate let cells: [String]

    /// Returns the cell, or an empty string if the file does not have the column.
    subscript(_ column: String) -> String {
      columns[column].map { cells[$0] } ?? ""
    }
  }

  struct MalformedError: Error, CustomStringConvertible {
    let description: String
  }

  let rows: [Row]

  init(parsing text: String, name: String) throws {
    let lines = text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    guard let head = lines.first else { throw MalformedError(description: "\(name) is empty") }
    let columns = Dictionary(uniqueKeysWithValues: head.enumerated().map { (String($1), $0) })
    rows = try lines.dropFirst().enumerated().map { number, cells in
      guard cells.count == head.count else {
        throw MalformedError(
          description: "\(name):\(number + 2): \(cells.count) cells under \(head.count) columns")
      }
      return Row(columns: columns, cells: cells.map(String.init))
    }
  }

  /// Returns the rows grouped by the value of a column, in the order of the first occurrences.
  func grouped(by column: String) -> [(value: String, rows: [Row])] {
    var order: [String] = []
    var groups: [String: [Row]] = [:]
    for row in rows {
      if groups[row[column]] == nil { order.append(row[column]) }
      groups[row[column], default: []].append(row)
    }
    return order.map { ($0, groups[$0] ?? []) }
  }
}
