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

  /// To be called before the transaction ends. All at once: most of a statement's time is what goes around
  /// it.
  mutating func flush(in database: Database) throws {
    guard !inserted.isEmpty else { return }
    let rows = inserted.map { "[\($0.key.type),\($0.key.provenance),\($0.value)]" }
    try database.cachedStatement(
      sql: """
        INSERT INTO sample_count (type, provenance, count)
          SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
        ON CONFLICT DO UPDATE SET count = count + excluded.count
        """
    ).execute(arguments: ["[\(rows.joined(separator: ","))]"])
    inserted = [:]
  }
}
