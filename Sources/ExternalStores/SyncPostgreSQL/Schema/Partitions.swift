import HealthDataSync

/// The partitions that are known to be there. Others are made, also by other gateways at the same time.
struct Partitions {
  let address: PostgreSQLAddress
  private var known: Set<Month> = []

  init(at address: PostgreSQLAddress) { self.address = address }

  /// Makes those that are missing, each in a transaction of its own.
  /// - Throws: `ExternalStoreError` for one that somebody detached; `DatabaseFailure`.
  mutating func provide(_ months: Set<Month>, through connection: Connection) throws {
    for month in months.subtracting(known).sorted() {
      try make(month, through: connection)
      known.insert(month)
    }
  }

  /// Somebody removed one.
  mutating func forget() { known = [] }

  /// A table is made and then attached: making it as a partition would lock out whoever reads or writes. The
  /// key is the partition's own: one of the whole table would have to hold what it is partitioned by.
  private func make(_ month: Month, through connection: Connection) throws {
    let table = "sample_\(month.suffix)"
    if let isPartition = try connection.isPartition(table) {
      guard isPartition else { throw detached(table, month) }
      return
    }
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock(\(SchemaOpening.lock))")
    do {
      // Another gateway may have been here meanwhile.
      if try !connection.hasRelation(table) {
        try connection.perform(
          """
          CREATE TABLE hrgate.\(table) (LIKE hrgate.sample INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE,
            PRIMARY KEY (uuid, person));
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

  /// What is in it is not read any more, and would be there twice if there were another of its month.
  private func detached(_ table: String, _ month: Month) -> ExternalStoreError {
    ExternalStoreError(
      "samples of \(month.suffix.replacing("_", with: "-")) come to PostgreSQL at \(address), where hrgate.\(table) is detached: "
        + "attach it again (ALTER TABLE hrgate.sample ATTACH PARTITION hrgate.\(table) FOR VALUES FROM "
        + "(\(month.literal)) TO (\(month.next.literal))), or rename it, and a new one is made",
      outlook: .lasting)
  }
}
