import GRDB

/// How many samples of each type and provenance a transaction has inserted as rows or in blocks. Those in
/// batches are counted when they are packed or become rows: a commit of a gateway would write one more page.
struct SampleCounts {
  private struct Key: Hashable {
    let type: Int64
    let provenance: Int64
  }

  private var inserted: [Key: Int] = [:]

  mutating func add(_ references: SampleInsertion.References, _ count: Int = 1) {
    inserted[Key(type: references.type, provenance: references.provenance), default: 0] += count
  }

  /// Most of a statement's time is what goes around it, so it takes as many rows as a gateway's commit has.
  private static let most = 64

  /// To be called before the transaction ends.
  mutating func flush(in database: Database) throws {
    let rows = inserted.map { [$0.key.type, $0.key.provenance, Int64($0.value)] }
    for place in stride(from: 0, to: rows.count, by: Self.most) {
      let some = rows[place..<min(place + Self.most, rows.count)]
      let places = Array(repeating: "(?, ?, ?)", count: some.count).joined(separator: ", ")
      try database.cachedStatement(
        sql: """
          INSERT INTO sample_count (type, provenance, count) VALUES \(places)
          ON CONFLICT DO UPDATE SET count = count + excluded.count
          """
      ).execute(arguments: StatementArguments(some.joined()))
    }
    inserted = [:]
  }

  /// Up to schema 14 the samples in batches were counted, too.
  static func forgetBatches(in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO sample_count (type, provenance, count)
          SELECT value ->> 0, value ->> 1, -(value ->> 2) FROM json_each(?) WHERE true
        ON CONFLICT DO UPDATE SET count = count + excluded.count
        """, arguments: [BatchKinds.counts(in: database)])
  }
}
