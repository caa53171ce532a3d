/// The partitions that are known to be there. Others are made, also by other gateways at the same time.
struct Partitions {
  private var known: Set<Month> = []

  /// Makes those that are missing, each in a transaction of its own.
  mutating func provide(_ months: Set<Month>, through connection: Connection) throws {
    for month in months.subtracting(known).sorted() {
      try Self.make(month, through: connection)
      known.insert(month)
    }
  }

  /// A table is made and then attached: making it as a partition would lock out whoever reads or writes.
  private static func make(_ month: Month, through connection: Connection) throws {
    let table = "sample_\(month.suffix)"
    guard try !connection.hasRelation(table) else { return }
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock(\(SchemaOpening.lock))")
    do {
      // Another gateway may have been here meanwhile.
      if try !connection.hasRelation(table) {
        try connection.perform(
          """
          CREATE TABLE hrgate.\(table) (LIKE hrgate.sample INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE);
          ALTER TABLE hrgate.sample ATTACH PARTITION hrgate.\(table)
            FOR VALUES FROM (\(month.literal)) TO (\(month.next.literal))
          """)
      }
      try connection.perform("COMMIT")
    } catch {
      _ = try? connection.perform("ROLLBACK")
      throw error
    }
  }
}
