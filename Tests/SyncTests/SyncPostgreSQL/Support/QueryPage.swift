import Foundation

/// The queries of the page `Queries.md`.
enum QueryPage {
  /// Returns the queries by heading.
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
