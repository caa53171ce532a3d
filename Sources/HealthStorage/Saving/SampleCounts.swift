import GRDB

/// How many samples of each type and provenance a batch has inserted.
struct SampleCounts {
  private struct Key: Hashable {
    let type: Int64
    let provenance: Int64
  }

  private var inserted: [Key: Int] = [:]

  mutating func add(_ references: SampleInsertion.References, _ count: Int = 1) {
    inserted[Key(type: references.type, provenance: references.provenance), default: 0] += count
  }

  /// To be called before the transaction ends.
  mutating func flush(in database: Database) throws {
    let add = try database.cachedStatement(
      sql: """
        INSERT INTO sample_count (type, provenance, count) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count
        """)
    for (key, count) in inserted { try add.execute(arguments: [key.type, key.provenance, count]) }
    inserted = [:]
  }
}
