import GRDB

/// What can be read of a table of a damaged store.
package struct TableSurvey: Hashable, Sendable {
  /// A place where nothing can be read.
  package struct Hole: Hashable, Sendable {
    /// The first id that cannot be.
    package var first: Int64
    /// The next that can be; nil where none can from there on.
    package var next: Int64?
    /// When what is read before it begins, and what is read behind it, where that has a time: microseconds
    /// since 1970.
    package var before: Int64?
    package var after: Int64?
  }

  package var table: String
  /// How many rows can be read.
  package var rows = 0
  /// Of a table whose rows have no ids there are none, though it may not be whole.
  package var holes: [Hole] = []
  /// How many more holes there are than are told.
  package var furtherHoles = 0
  package var isWhole = true

  /// Of so many holes of a table each is told.
  static let mostHoles = 1000

  /// Reads each table by itself, around what cannot be read.
  /// - Throws: `DatabaseError` where not even that can be read which says what tables there are.
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

  /// A survey under way: takes rows and holes in the order in which a reader finds them.
  struct Finding {
    private var survey: TableSurvey
    /// When the last row begins.
    private var latest: Int64?
    /// The hole just met, where it is one of those that are told.
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
      // Ours begin with 1.
      survey.holes.append(Hole(first: max(first, 1), next: next, before: latest))
    }

    func end(isWhole: Bool) -> TableSurvey {
      var survey = survey
      survey.isWhole = isWhole
      // Behind the last there was nothing more to stumble over, and nothing to be read either.
      if let open { survey.holes[open].next = nil }
      return survey
    }
  }
}
