import Foundation

extension Catalogue {
  /// The tables of the package at a place.
  init(package: URL) throws {
    func table(_ name: String) throws -> String {
      try String(contentsOf: package.appending(path: "Data/healthkit-\(name).tsv"), encoding: .utf8)
    }
    try self.init(
      sections: table("sections"), symbols: table("symbols"), differences: table("differences"),
      additions: table("additions"))
  }
}
