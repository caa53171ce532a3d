import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// The page on the schema against the tables of a new store.
@Suite struct SchemaPageTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/HealthStorage/Documentation.docc/Schema.md")

  /// The names in code font that the page gives for each table. A heading names a table, and so does the
  /// first cell of a row where the first column is headed "table"; an empty cell goes on with the one above.
  private static func names(of tables: Set<String>) throws -> [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    var current: [String] = []
    var isByTable = false
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") {
        current = inCode(line).filter(tables.contains)
        isByTable = false
      } else if line.hasPrefix("| table |") {
        isByTable = true
      } else if isByTable, let cell = line.split(separator: "|").first, line.hasPrefix("| `") {
        current = inCode(cell).filter(tables.contains)
      }
      for table in current { names[table, default: []].formUnion(inCode(line)) }
    }
    return names
  }

  private static func inCode(_ text: Substring) -> [String] {
    text.matches(of: #/`(\w+)`/#).map { String($0.output.1) }
  }

  @Test func `each table and each column has its line`() async throws {
    let database = try SampleDatabase.inMemory()
    let columns = try await database.writer.read { database in
      let tables = try String.fetchAll(
        database,
        sql: """
          SELECT name FROM sqlite_schema WHERE type = 'table'
          AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations'
          """)
      return try Dictionary(
        uniqueKeysWithValues: tables.map { ($0, Set(try database.columns(in: $0).map(\.name))) })
    }
    #expect(columns.count > 25)
    let named = try Self.names(of: Set(columns.keys))
    for (table, names) in columns {
      let missing = names.subtracting(named[table] ?? [])
      #expect(missing.isEmpty, "\(table): \(missing.sorted())")
    }
  }
}
