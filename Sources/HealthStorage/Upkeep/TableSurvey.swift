import GRDB

/// The readable and unreadable rows of a table in a damaged store.
package struct TableSurvey: Hashable, Sendable {
  /// A range of unreadable IDs.
  package struct Hole: Hashable, Sendable {
    /// The first unreadable ID.
    package var first: Int64
    /// The next readable ID; `nil` if no later row can be read.
    package var next: Int64?
    /// The start times of the last row before the range and of the first row after it, in microseconds since
    /// 1970; `nil` if unknown.
    package var before: Int64?
    package var after: Int64?
  }

  package var table: String
  /// The number of readable rows.
  package var rows = 0
  /// The unreadable ranges. Always empty for a table without row IDs.
  package var holes: [Hole] = []
  /// The number of unreadable ranges that are not listed, because there are more than ``mostHoles``.
  package var furtherHoles = 0
  package var isWhole = true

  /// Maximum number of listed ranges per table.
  static let mostHoles = 1000

  /// Determines for each table which rows can be read.
  /// - Throws: `DatabaseError` if the list of tables cannot be read.
  static func all(in database: Database) throws -> [TableSurvey] {
    let tables = try Row.fetchAll(
      database,
      sql: """
        SELECT name, sql FROM sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND rootpage > 0 ORDER BY name
        """)
    return tables.compactMap { table in
      guard let name: String = table[0] else { return nil }
      return of(name, hasRowID: !(table[1] as String? ?? "").contains("WITHOUT ROWID"), database)
    }
  }

  private static func of(_ table: String, hasRowID: Bool, _ database: Database) -> TableSurvey {
    var survey = TableSurvey(table: table)
    guard let columns = try? database.columns(in: table).map(\.name), !columns.isEmpty else {
      survey.isWhole = false
      return survey
    }
    let time = columns.firstIndex(of: "start")
    var finding = Finding(survey)
    let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let reader = TableReader(table: table, columns: list, hasRowID: hasRowID, database)
    let isWhole = reader.forEach { values in
      finding.read(time.flatMap { Int64.fromDatabaseValue(values[$0]) })
    } unreadable: { first, next in
      finding.meet(first, next)
    }
    return finding.end(isWhole: isWhole)
  }

  /// Collects the rows and unreadable ranges of a table in the order in which a `TableReader` finds them.
  struct Finding {
    private var survey: TableSurvey
    /// The start time of the latest row.
    private var latest: Int64?
    /// The index of the last range in `holes` as long as no row after it was found; `nil` if that range is
    /// not listed.
    private var open: Int?

    init(_ survey: TableSurvey) { self.survey = survey }

    mutating func read(_ time: Int64?) {
      survey.rows += 1
      latest = time
      if let open { survey.holes[open].after = time }
      open = nil
    }

    mutating func meet(_ first: Int64, _ next: Int64?) {
      guard survey.holes.count < TableSurvey.mostHoles else {
        survey.furtherHoles += 1
        open = nil
        return
      }
      open = survey.holes.count
      // Valid IDs begin with 1.
      survey.holes.append(Hole(first: max(first, 1), next: next, before: latest))
    }

    func end(isWhole: Bool) -> TableSurvey {
      var survey = survey
      survey.isWhole = isWhole
      // No row was read after the last range, so it extends to the end of the table.
      if let open { survey.holes[open].next = nil }
      return survey
    }
  }
}
