import Foundation

/// The page `Queries.md`.
enum QueryPage {
  /// By their headings.
  static func queries() throws -> [String: String] {
    let path = "../../../../../Sources/ExternalStores/SyncPostgreSQL/Documentation.docc/Queries.md"
    let file = URL(filePath: #filePath).appending(path: path).standardizedFileURL
    let text = try String(contentsOf: file, encoding: .utf8)
    return Dictionary(
      uniqueKeysWithValues: text.matches(of: #/### (?<heading>.+)\n[^#]*?```sql\n(?<query>[^`]+)```/#).map {
        (String($0.heading), String($0.query))
      })
  }
}
