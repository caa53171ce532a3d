import Foundation

/// The tables in `Data/facts`: Apple's identifiers and numbers. The tables for the package's sources were
/// once generated from them.
enum FactTable {
  /// Returns the rows of a table by column name.
  static func rows(_ name: String) throws -> [[String: String]] {
    var package = URL(filePath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let text = try String(contentsOf: package.appending(path: "Data/facts/\(name)"), encoding: .utf8)
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let head = lines.first else { return [] }
    return lines.dropFirst().map { cells in
      Dictionary(zip(head, cells)) { first, _ in first }
    }
  }
}
