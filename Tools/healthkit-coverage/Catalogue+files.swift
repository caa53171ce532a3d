import Foundation

extension Catalogue {
  /// Reads the tables of the package at this path.
  init(package: URL) throws {
    func table(_ name: String) throws -> String {
      try String(contentsOf: package.appending(path: "Data/healthkit-\(name).tsv"), encoding: .utf8)
    }
    try self.init(
      sections: table("sections"), symbols: table("symbols"), differences: table("differences"),
      additions: table("additions"))
  }
}
