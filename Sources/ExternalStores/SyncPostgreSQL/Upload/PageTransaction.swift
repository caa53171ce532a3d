import Foundation
import HealthDataSync
import HealthKit

/// The transaction that writes one page of changes: first the deletions, then the insertions.
struct PageTransaction {
  let connection: Connection
  let identity: ExternalIdentity
  let sender: Sender
  /// The key of the advisory lock for changes to the person's samples.
  ///
  /// A page with only insertions takes the lock in shared mode. A page with deletions or replacements takes
  /// it exclusively, so that no other gateway inserts the same sample at the same time.
  let lock: Int
  /// The character encoding of the database.
  let encoding: String
  /// The marker row in which the number of this page is stored, or `nil` without a marker.
  let marker: MarkerRow?
  let page: ChangePage
  let rows: [PreparedRecord]

  /// The table accepted fewer rows than were sent, without reporting an error.
  struct MissingRowsError: Error {}

  /// The method by which rows are inserted.
  enum Way {
    /// Copies rows directly into the table. This is the fastest method, but fails if one of the rows exists.
    case direct
    /// Copies rows into the staging table and inserts them from there.
    case staged
    /// Uses the staging table too. After an error, sends each half of the rows separately, to find the
    /// rejected row.
    case halving
  }

  /// Runs the transaction.
  ///
  /// - Returns: The rows that the database rejected.
  /// - Throws: `MissingRowsError` for a direct insertion; `ExternalStoreError` if the marker does not have
  ///   the number of the previous page; `PostgreSQLError`.
  func perform(_ way: Way) throws -> [RejectedChange] {
    let suffix = page.deleted.isEmpty && !hasChanged ? "_shared" : ""
    let begun = try connection.perform(
      ["BEGIN", "SELECT pg_advisory_xact_lock\(suffix)(\(lock))", marker?.advance].compactMap(\.self)
        .joined(separator: "; "))
    if let marker, begun.affected != 1 { throw marker.lost }
    var rejections = page.deleted.isEmpty ? [] : try delete()
    if !rows.isEmpty {
      switch way {
      case .direct: rejections += try insertDirectly()
      case .staged: rejections += try insert(rows[...])
      case .halving: rejections += try insertHalving(rows[...])
      }
    }
    try connection.perform("COMMIT")
    return rejections
  }

  /// Whether the page contains samples that may exist in the database with different content.
  private var hasChanged: Bool { rows.contains { $0.record.supersedes } }

  // MARK: - Deletions

  /// Deletes the rows of the page's deleted samples, but only those of this person. Another person may have
  /// samples with the same UUIDs, for example if both imported the same log.
  ///
  /// - Returns: The samples that could not be deleted.
  private func delete() throws -> [RejectedChange] {
    let uuids = "{\(page.deleted.map(\.uuid.uuidString).joined(separator: ","))}"
    _ = try connection.perform(
      """
      INSERT INTO hrgate.tombstone (uuid, type, deleted_at, person, gateway)
      SELECT DISTINCT deleted, $2, now(), $3, $4 FROM unnest($1::uuid[]) deleted
      ON CONFLICT (person, uuid, gateway) DO NOTHING
      """, [uuids, page.type.identifier, identity.person, identity.gatewayKey])
    let these = "FROM hrgate.sample WHERE uuid = ANY ($1::uuid[]) AND person = $2"
    _ = try connection.perform("DELETE \(these)", [uuids, "\(sender.person)"])
    return try connection.perform("SELECT DISTINCT uuid \(these)", [uuids, "\(sender.person)"]).rows
      .compactMap { $0[0].flatMap(UUID.init(uuidString:)) }
      .map {
        RejectedChange(
          uuid: $0, reason: "a trigger of the table hrgate.sample keeps the sample from being deleted")
      }
  }

  // MARK: - Insertions

  /// Copies rows into the table.
  ///
  /// The primary key of a partition makes this fail if a sample exists in the same month. It does not prevent
  /// the insertion of a sample that was deleted (has a tombstone), or that exists in the neighboring month.
  /// Rows for which that is possible are inserted through the staging table.
  private func insertDirectly() throws -> [RejectedChange] {
    let hasTombstones =
      try connection.perform(
        "SELECT EXISTS (SELECT FROM hrgate.tombstone WHERE person = $1)", [identity.person])[0, 0] == "t"
    guard !hasTombstones, !hasChanged else { return try insert(rows[...]) }
    let border = rows.filter { Month.isNearBorder($0.start) }
    let inner = border.isEmpty ? rows : rows.filter { !Month.isNearBorder($0.start) }
    let taken = try copy(inner[...], into: "hrgate.sample", RowWriter.columns, isForStage: false)
    guard taken == inner.count else { throw MissingRowsError() }
    return border.isEmpty ? [] : try insert(border[...])
  }

  /// Copies rows into the staging table, and inserts them into the table from there.
  ///
  /// - Returns: The rows that are missing afterwards, although no error was reported.
  private func insert(_ rows: ArraySlice<PreparedRecord>) throws -> [RejectedChange] {
    _ = try copy(rows, into: "pg_temp.hrgate_stage", RowWriter.stageColumns, isForStage: true)
    // If this gateway deleted a sample and now has it again, remove the gateway's own tombstone. Another
    // gateway's tombstone still prevents the insertion.
    _ = try connection.perform(Self.ownTombstones, [identity.person, identity.gatewayKey])
    if rows.contains(where: { $0.record.supersedes }) { try replace() }
    let isNearBorder = rows.contains { Month.isNearBorder($0.start) }
    let inserted = try connection.perform(Self.insertion(isNearBorder: isNearBorder), [identity.person])
      .affected
    guard inserted < rows.count else { return [] }
    return try connection.perform(Self.missing, [identity.person]).rows
      .compactMap { $0[0].flatMap(UUID.init(uuidString:)) }
      .map {
        RejectedChange(
          uuid: $0, reason: "a trigger of the table hrgate.sample drops the sample without an error")
      }
  }

  private func replace() throws {
    try connection.perform(Self.replacementInPlace)
    let isElsewhere = try connection.perform(Self.questionElsewhere, ["\(sender.person)"])[0, 0]
    if isElsewhere == "t" { try connection.perform(Self.replacement) }
  }

  private func insertHalving(_ rows: ArraySlice<PreparedRecord>) throws -> [RejectedChange] {
    do {
      try connection.perform("SAVEPOINT half")
      let rejections = try insert(rows)
      try connection.perform("DELETE FROM pg_temp.hrgate_stage; RELEASE half")
      return rejections
    } catch PostgreSQLError.server(let error) where error.isAboutRows {
      try connection.perform("ROLLBACK TO half; RELEASE half")
      if rows.count == 1, let row = rows.first { return [rejection(row, error)] }
      let middle = rows.startIndex + rows.count / 2
      return try insertHalving(rows[..<middle]) + insertHalving(rows[middle...])
    }
  }

  private func rejection(_ row: PreparedRecord, _ error: ServerError) -> RejectedChange {
    if error.isAboutEncoding {
      return RejectedChange(uuid: row.record.sample.uuid, reason: RecordError.encoding(encoding).reason)
    }
    let constraint = error.constraint.map { " by its constraint \($0)" } ?? ""
    return RejectedChange(
      uuid: row.record.sample.uuid,
      reason: "the table hrgate.sample rejects the sample\(constraint) (error \(error.state))")
  }

  private func copy(
    _ rows: ArraySlice<PreparedRecord>, into table: String, _ columns: String, isForStage: Bool
  ) throws(PostgreSQLError) -> Int {
    var writer = RowWriter(sender: sender, isForStage: isForStage)
    return try connection.copy("COPY \(table) (\(columns)) FROM STDIN (FORMAT binary)") {
      send throws(PostgreSQLError) in
      writer.begin()
      for row in rows {
        writer.append(row)
        guard writer.bytes.count >= Self.piece else { continue }
        try send(writer.bytes)
        writer.removeAll()
      }
      writer.end()
      try send(writer.bytes)
    }
  }

  /// Number of bytes to send at once.
  private static let piece = 1 << 16

  // MARK: - Statements
  //
  // No statement may depend on statistics of the tables. A new table has none, and autovacuum may be off.
  // Without statistics, the planner assumes that a condition such as `person = $1` holds for one row in 200.
  // It then chooses the wrong join order, and writing a page of changes takes minutes. Each staged row is
  // therefore looked up by a scalar subquery. The planner cannot turn it into a join, and its only sensible
  // plan is one index lookup.

  /// An SQL expression that is true if any gateway has deleted the staged row `s`, as recorded by a
  /// tombstone.
  private static let tombstone =
    "(SELECT true FROM hrgate.tombstone t WHERE t.person = $1 AND t.uuid = s.uuid LIMIT 1)"

  private static let ownTombstones = """
    DELETE FROM hrgate.tombstone WHERE person = $1 AND gateway = $2
      AND uuid = ANY (ARRAY(SELECT uuid FROM pg_temp.hrgate_stage))
    """

  /// Selects the staged rows that are not in the table although they should have been inserted. First looks
  /// in the partition of the sample's start. Only samples that are not there are searched for in all
  /// partitions.
  private static let missing = """
    SELECT DISTINCT s.uuid FROM pg_temp.hrgate_stage s
    WHERE CASE
      WHEN \(tombstone) THEN false
      WHEN (SELECT true FROM hrgate.sample kept
        WHERE kept.uuid = s.uuid AND kept.person = s.person AND kept."start" = s."start" LIMIT 1) THEN false
      ELSE (SELECT true FROM hrgate.sample kept
        WHERE kept.uuid = s.uuid AND kept.person = s.person LIMIT 1) IS NULL
      END
    """

  /// Prepares the replacement of samples whose old row is in the same partition.
  ///
  /// A staged row is dropped if an identical row exists or the existing row belongs to another gateway.
  /// Otherwise this gateway's old row is deleted. After the user has reset the destination, this handles
  /// nearly all rows, so the other partitions do not have to be searched for them.
  private static let replacementInPlace = """
    DELETE FROM pg_temp.hrgate_stage s USING hrgate.sample kept
    WHERE s.supersedes AND kept.uuid = s.uuid AND kept.person = s.person AND kept."start" = s."start"
      AND (kept.gateway <> s.gateway
        OR (kept."end", kept.value, kept.origin, kept.metadata, kept.series)
          IS NOT DISTINCT FROM (s."end", s.value, s.origin, s.metadata, s.series));
    DELETE FROM hrgate.sample kept USING pg_temp.hrgate_stage s
    WHERE s.supersedes AND kept.uuid = s.uuid AND kept.person = s.person AND kept.gateway = s.gateway
      AND kept."start" = s."start"
    """

  /// Selects whether another partition contains one of the remaining staged rows. If there are many
  /// partitions and none of them does, this takes a quarter of the time of the statement `replacement`.
  private static let questionElsewhere = """
    SELECT EXISTS (
      SELECT FROM hrgate.sample
      WHERE person = $1 AND uuid = ANY (ARRAY(
        SELECT uuid FROM pg_temp.hrgate_stage WHERE supersedes ORDER BY uuid)))
    """

  /// Deletes this gateway's old rows of changed samples, in all partitions. Other gateways' rows are kept,
  /// and the staged rows for them are dropped.
  private static let replacement = """
    DELETE FROM hrgate.sample kept USING pg_temp.hrgate_stage s
    WHERE s.supersedes AND kept.uuid = s.uuid AND kept.person = s.person AND kept.gateway = s.gateway
      AND (kept."start", kept."end", kept.value, kept.origin, kept.metadata, kept.series)
        IS DISTINCT FROM (s."start", s."end", s.value, s.origin, s.metadata, s.series);
    DELETE FROM pg_temp.hrgate_stage s USING hrgate.sample kept
    WHERE s.supersedes AND kept.uuid = s.uuid AND kept.person = s.person
    """

  /// Returns the statement that inserts the staged rows.
  ///
  /// Rows are inserted in the order of the key, so two gateways that insert the same samples wait for each
  /// other without a deadlock.
  ///
  /// The key of a partition only prevents duplicates in the same month. Near the end of a month, the
  /// statement also searches the neighboring month: another gateway may have stored the sample with a
  /// slightly different start. It is searched only then, because planning that search takes the server 1 to 2
  /// ms per transaction, and each gateway has one every second. If the starts of the same sample differ by
  /// more, there are two rows for it. Preventing that would require searching every partition for each
  /// sample.
  private static func insertion(isNearBorder: Bool) -> String {
    """
    INSERT INTO hrgate.sample (\(RowWriter.columns))
    SELECT DISTINCT ON (s.uuid) \(RowWriter.columns)
    FROM pg_temp.hrgate_stage s
    WHERE \(tombstone) IS NULL
    \(isNearBorder ? notBeyondBorder : "")
    ORDER BY s.uuid
    ON CONFLICT DO NOTHING
    """
  }

  private static let notBeyondBorder = """
    AND (SELECT true FROM hrgate.sample kept WHERE kept.uuid = s.uuid AND kept.person = s.person
        AND kept."start" > s."start" - interval '24 hours' AND kept."start" < s."start" + interval '24 hours'
      LIMIT 1) IS NULL
    """

  /// Creates the staging table. It is created once per session, because a new table for each transaction
  /// would bloat the system catalog.
  static let stage = """
    CREATE TEMPORARY TABLE hrgate_stage (LIKE hrgate.sample, supersedes boolean NOT NULL)
    ON COMMIT DELETE ROWS
    """
}
