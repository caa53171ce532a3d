import Foundation

@testable import TestSupport

/// The tables of Apple's identifiers and numbers beside the repository, from which the package's own were made once.
enum SharedFacts {
  private static let directory = SharedCaptures.directory.deletingLastPathComponent().appending(path: "facts")

  static let absence = "skipped: the shared facts are not beside this checkout"
  static var arePresent: Bool { FileManager.default.fileExists(atPath: directory.path) }

  /// The rows of a table, by column name.
  static func rows(_ name: String) throws -> [[String: String]] {
    let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let head = lines.first else { return [] }
    return lines.dropFirst().map { cells in
      Dictionary(zip(head, cells)) { first, _ in first }
    }
  }
}
