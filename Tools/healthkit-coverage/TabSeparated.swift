/// A table as text: a heading line, then one line for each row, fields between tabs.
struct TabSeparated {
  /// The rows, each with as many fields as the heading.
  let rows: [[String]]

  /// - Parameters:
  ///   - columns: what the heading must say, so that a table is never read as another.
  ///   - name: of the file, for what is thrown.
  init(_ text: String, columns: [String], name: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard lines.popLast() == [""] else { throw CoverageFailure("\(name): the last line has no end") }
    guard lines.first == columns else {
      throw CoverageFailure("\(name): the heading is not \(columns.joined(separator: ", "))")
    }
    for (index, fields) in lines.enumerated() where fields.count != columns.count {
      throw CoverageFailure("\(name):\(index + 1): \(fields.count) fields instead of \(columns.count)")
    }
    rows = Array(lines.dropFirst())
  }
}
