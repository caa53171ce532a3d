import GRDB

/// Counts the samples per type and provenance that a transaction inserts as rows. Samples in segments are
/// counted by the index `block_start`, which saves each commit of a gateway one page to write.
struct SampleCounts {
  private struct Key: Hashable {
    let type: Int64
    let provenance: Int64
  }

  private var inserted: [Key: Int] = [:]

  mutating func add(_ references: SampleInsertion.References, _ count: Int = 1) {
    inserted[Key(type: references.type, provenance: references.provenance), default: 0] += count
  }

  /// The maximum number of counts per statement. Most of the cost is per statement.
  private static let most = 64

  /// Writes the counts. Call it before the transaction ends.
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

  /// Subtracts the samples in the table `batch` from the counts, which included them up to schema 14.
  static func forgetBatches(in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO sample_count (type, provenance, count)
          SELECT value ->> 0, value ->> 1, -(value ->> 2) FROM json_each(?) WHERE true
        ON CONFLICT DO UPDATE SET count = count + excluded.count
        """, arguments: [EarlierBatches.counts(in: database)])
  }
}
