/// A tab-separated table: a header line, then one line for each row.
struct TabSeparated {
  /// The rows, each with as many fields as the header.
  let rows: [[String]]

  /// - Parameters:
  ///   - columns: the required header. It prevents reading the wrong table.
  ///   - name: the file name for errors.
  init(_ text: String, columns: [String], name: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard lines.popLast() == [""] else { throw CoverageError("\(name): the last line has no newline") }
    guard lines.first == columns else {
      throw CoverageError("\(name): the header is not \(columns.joined(separator: ", "))")
    }
    for (index, fields) in lines.enumerated() where fields.count != columns.count {
      throw CoverageError("\(name):\(index + 1): \(fields.count) fields instead of \(columns.count)")
    }
    rows = Array(lines.dropFirst())
  }
}
