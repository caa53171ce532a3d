import Foundation
import HealthDataSync
import HealthKit

/// One page in one transaction: deletions, then what was added.
struct PageTransaction {
  let connection: Connection
  let identity: ExternalIdentity
  let sender: Sender
  /// The person's lock: insertions share it, so that a deletion, which wants it alone, never passes by one
  /// that is under way with the same sample. Nor does what takes the place of another row.
  let lock: Int
  /// The server's encoding.
  let encoding: String
  /// nil without one.
  let marker: MarkerRow?
  let page: ChangePage
  let rows: [PlacedRecord]

  /// The table took fewer rows than it was sent, without an error.
  struct RowsMissing: Error {}

  /// How rows get in.
  enum Way {
    /// Straight into the table: as fast as can be, and fails if one is there, or was deleted.
    case direct
    /// By way of the stage.
    case staged
    /// By way of the stage, and after a failure in halves, down to the one that is refused.
    case halving
  }

  /// - Returns: what the table refuses.
  /// - Throws: `RowsMissing` where rows went directly; `ExternalStoreError` if the marker is not where the
  ///   last page left it; `DatabaseFailure`.
  func perform(_ way: Way) throws -> [Refusal] {
    let suffix = page.deleted.isEmpty && !hasChanged ? "_shared" : ""
    let begun = try connection.perform(
      ["BEGIN", "SELECT pg_advisory_xact_lock\(suffix)(\(lock))", marker?.advance].compactMap(\.self)
        .joined(separator: "; "))
    if let marker, begun.affected != 1 { throw marker.lost }
    var refusals = page.deleted.isEmpty ? [] : try delete()
    if !rows.isEmpty {
      switch way {
      case .direct: refusals += try insertDirectly()
      case .staged: refusals += try insert(rows[...])
      case .halving: refusals += try insertHalving(rows[...])
      }
    }
    try connection.perform("COMMIT")
    return refusals
  }

  /// Whether the page holds what may be there otherwise.
  private var hasChanged: Bool { rows.contains { $0.record.supersedes } }

  // MARK: - Deletions

  /// Deletes this person's samples alone: another's may have the same UUID, as of a log that both have read.
  /// - Returns: what is there all the same.
  private func delete() throws -> [Refusal] {
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
      .map { Refusal(uuid: $0, reason: "a trigger of the table hrgate.sample keeps it from being deleted") }
  }

  // MARK: - Insertions

  /// Inserts straight into the table. Its key reports a sample that is there already; a tombstone would not
  /// be noticed, nor a sample near the border of a month that is on its other side.
  private func insertDirectly() throws -> [Refusal] {
    let hasTombstones =
      try connection.perform(
        "SELECT EXISTS (SELECT FROM hrgate.tombstone WHERE person = $1)", [identity.person])[0, 0] == "t"
    guard !hasTombstones, !hasChanged else { return try insert(rows[...]) }
    let border = rows.filter { Month.isNearBorder($0.start) }
    let inner = border.isEmpty ? rows : rows.filter { !Month.isNearBorder($0.start) }
    let taken = try copy(inner[...], into: "hrgate.sample", RowWriter.columns, isForStage: false)
    guard taken == inner.count else { throw RowsMissing() }
    return border.isEmpty ? [] : try insert(border[...])
  }

  /// - Returns: what is not there afterwards, though no error was reported.
  private func insert(_ rows: ArraySlice<PlacedRecord>) throws -> [Refusal] {
    _ = try copy(rows, into: "pg_temp.hrgate_stage", RowWriter.stageColumns, isForStage: true)
    // What this gateway deleted and has again, it has again. The deletion of another gateway stands.
    _ = try connection.perform(Self.ownTombstones, [identity.person, identity.gatewayKey])
    if rows.contains(where: { $0.record.supersedes }) { try replace() }
    let isNearBorder = rows.contains { Month.isNearBorder($0.start) }
    let inserted = try connection.perform(Self.insertion(isNearBorder: isNearBorder), [identity.person])
      .affected
    guard inserted < rows.count else { return [] }
    return try connection.perform(Self.missing, [identity.person]).rows
      .compactMap { $0[0].flatMap(UUID.init(uuidString:)) }
      .map { Refusal(uuid: $0, reason: "a trigger of the table hrgate.sample drops it without an error") }
  }

  private func replace() throws {
    try connection.perform(Self.replacementInPlace)
    let isElsewhere = try connection.perform(Self.questionElsewhere, ["\(sender.person)"])[0, 0]
    if isElsewhere == "t" { try connection.perform(Self.replacement) }
  }

  private func insertHalving(_ rows: ArraySlice<PlacedRecord>) throws -> [Refusal] {
    do {
      try connection.perform("SAVEPOINT half")
      let refusals = try insert(rows)
      try connection.perform("DELETE FROM pg_temp.hrgate_stage; RELEASE half")
      return refusals
    } catch DatabaseFailure.server(let error) where error.isAboutRows {
      try connection.perform("ROLLBACK TO half; RELEASE half")
      if rows.count == 1, let row = rows.first { return [refusal(row, error)] }
      let middle = rows.startIndex + rows.count / 2
      return try insertHalving(rows[..<middle]) + insertHalving(rows[middle...])
    }
  }

  private func refusal(_ row: PlacedRecord, _ error: ServerError) -> Refusal {
    if error.isAboutEncoding {
      return Refusal(uuid: row.record.sample.uuid, reason: RecordFlaw.encoding(encoding).reason)
    }
    let constraint = error.constraint.map { " by its constraint \($0)" } ?? ""
    return Refusal(
      uuid: row.record.sample.uuid,
      reason: "the table hrgate.sample refuses it\(constraint) (error \(error.state))")
  }

  private func copy(
    _ rows: ArraySlice<PlacedRecord>, into table: String, _ columns: String, isForStage: Bool
  ) throws(DatabaseFailure) -> Int {
    var writer = RowWriter(sender: sender, isForStage: isForStage)
    return try connection.copy("COPY \(table) (\(columns)) FROM STDIN (FORMAT binary)") {
      send throws(DatabaseFailure) in
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

  /// The number of bytes that are sent together.
  private static let piece = 1 << 16

  // MARK: - Statements
  //
  // None of them may depend on statistics. A new table has none, autovacuum may be off, and without them the
  // planner takes a condition such as `person = $1` to hold for one row in 200: it then joins in the wrong
  // order, and a page takes minutes. Whatever is looked up for each row of the stage is therefore a scalar
  // subquery, which the planner cannot turn into a join, and whose only sensible plan is one look into an
  // index.

  /// Finds a tombstone of the stage's row `s`, whichever gateway it is of.
  private static let tombstone =
    "(SELECT true FROM hrgate.tombstone t WHERE t.person = $1 AND t.uuid = s.uuid LIMIT 1)"

  private static let ownTombstones = """
    DELETE FROM hrgate.tombstone WHERE person = $1 AND gateway = $2
      AND uuid = ANY (ARRAY(SELECT uuid FROM pg_temp.hrgate_stage))
    """

  /// The rows of the stage that should be in the table and are not. It is looked for where the sample starts
  /// first: only a sample that has another start there is looked for in every partition.
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

  /// In the one partition of its start: what is there as it is to be, or as another gateway has it, stays;
  /// this gateway's own goes. After a reset that is nearly all, and no other partition is asked for it.
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

  /// Whether any of the rest is anywhere: a quarter of what the replacement itself costs, where many
  /// partitions hold nothing of it.
  private static let questionElsewhere = """
    SELECT EXISTS (
      SELECT FROM hrgate.sample
      WHERE person = $1 AND uuid = ANY (ARRAY(
        SELECT uuid FROM pg_temp.hrgate_stage WHERE supersedes ORDER BY uuid)))
    """

  /// Of what changed, this gateway's row goes, wherever its start has put it; another gateway's stays, and
  /// what is in the stage goes.
  private static let replacement = """
    DELETE FROM hrgate.sample kept USING pg_temp.hrgate_stage s
    WHERE s.supersedes AND kept.uuid = s.uuid AND kept.person = s.person AND kept.gateway = s.gateway
      AND (kept."start", kept."end", kept.value, kept.origin, kept.metadata, kept.series)
        IS DISTINCT FROM (s."start", s."end", s.value, s.origin, s.metadata, s.series);
    DELETE FROM pg_temp.hrgate_stage s USING hrgate.sample kept
    WHERE s.supersedes AND kept.uuid = s.uuid AND kept.person = s.person
    """

  /// In the order of the key: two gateways that bring the same samples wait for each other and do not lock
  /// each other out.
  ///
  /// A partition's key tells of its own month alone. Around a border it is looked on the other side too, for
  /// a sample whose start another gateway has there. Not always: planning to look costs a millisecond or two
  /// of the server's for each page, and live there is one in a second from each gateway. Starts further apart
  /// stay two rows: every partition's index would have to be read for each sample.
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

  /// Of the session: a table for each page would wear out the catalogue.
  static let stage = """
    CREATE TEMPORARY TABLE hrgate_stage (LIKE hrgate.sample, supersedes boolean NOT NULL)
    ON COMMIT DELETE ROWS
    """
}
