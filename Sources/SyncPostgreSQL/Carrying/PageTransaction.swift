import Foundation
import HealthDataSync
import HealthKit

/// One page in one transaction: deletions, then what was added.
struct PageTransaction {
  let connection: Connection
  let identity: ExternalIdentity
  /// The gateway's number in `hrgate.gateway`.
  let gateway: Int32
  /// The person's lock: insertions share it, so that a deletion, which wants it alone, never passes by one
  /// that is under way with the same sample.
  let lock: Int
  let page: ChangePage
  let rows: [PlacedRecord]

  /// How rows get in.
  enum Way {
    /// Straight into the table: as fast as can be, and fails if one is there, or was deleted.
    case direct
    /// By way of the stage.
    case staged
    /// By way of the stage, and after a failure in halves, down to the one that is refused.
    case halving
  }

  /// - Returns: what the table refuses; empty unless halving.
  /// - Throws: `DatabaseFailure`.
  func perform(_ way: Way) throws -> [Refusal] {
    let suffix = page.deleted.isEmpty ? "_shared" : ""
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock\(suffix)(\(lock))")
    if !page.deleted.isEmpty { try delete() }
    var refusals: [Refusal] = []
    if !rows.isEmpty {
      switch way {
      case .direct: try insertDirectly()
      case .staged: try insert(rows[...])
      case .halving: refusals = try insertHalving(rows[...])
      }
    }
    try connection.perform("COMMIT")
    return refusals
  }

  // MARK: - Deletions

  private func delete() throws {
    let uuids = "{\(page.deleted.map(\.uuid.uuidString).joined(separator: ","))}"
    _ = try connection.perform(
      """
      INSERT INTO hrgate.tombstone (uuid, type, deleted_at, person, gateway)
      SELECT DISTINCT deleted, $2, now(), $3, $4 FROM unnest($1::uuid[]) deleted
      ON CONFLICT (uuid, gateway) DO NOTHING
      """, [uuids, page.type.identifier, identity.person, identity.gateway])
    _ = try connection.perform("DELETE FROM hrgate.sample WHERE uuid = ANY ($1::uuid[])", [uuids])
  }

  // MARK: - Insertions

  /// A sample that is there already is told by the key; one that was deleted, by there being any tombstone.
  private func insertDirectly() throws {
    let hasTombstones = try connection.perform("SELECT EXISTS (SELECT FROM hrgate.tombstone)")[0, 0] == "t"
    guard !hasTombstones else { return try insert(rows[...]) }
    try copy(rows[...], into: "hrgate.sample")
  }

  private func insert(_ rows: ArraySlice<PlacedRecord>) throws {
    try copy(rows, into: "pg_temp.hrgate_stage")
    // What this gateway deleted and has again, it has again. The deletion of another gateway stands.
    _ = try connection.perform(
      """
      DELETE FROM hrgate.tombstone t USING pg_temp.hrgate_stage s
      WHERE t.uuid = s.uuid AND t.gateway = $1
      """, [identity.gateway])
    try connection.perform(Self.insertion)
  }

  private func insertHalving(_ rows: ArraySlice<PlacedRecord>) throws -> [Refusal] {
    do {
      try connection.perform("SAVEPOINT half")
      try insert(rows)
      try connection.perform("DELETE FROM pg_temp.hrgate_stage; RELEASE half")
      return []
    } catch DatabaseFailure.server(let error) where error.isAboutRows {
      try connection.perform("ROLLBACK TO half; RELEASE half")
      if rows.count == 1, let row = rows.first { return [Self.refusal(row, error)] }
      let middle = rows.startIndex + rows.count / 2
      return try insertHalving(rows[..<middle]) + insertHalving(rows[middle...])
    }
  }

  private static func refusal(_ row: PlacedRecord, _ error: ServerError) -> Refusal {
    let constraint = error.constraint.map { " by its constraint \($0)" } ?? ""
    return Refusal(
      uuid: row.record.sample.uuid,
      reason: "the table hrgate.sample refuses it\(constraint) (error \(error.state))")
  }

  private func copy(_ rows: ArraySlice<PlacedRecord>, into table: String) throws(DatabaseFailure) {
    var writer = RowWriter(gateway: gateway)
    try connection.copy("COPY \(table) (\(RowWriter.columns)) FROM STDIN (FORMAT binary)") {
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

  /// So many bytes are sent together.
  private static let piece = 1 << 16

  /// In the order of the key: two gateways that bring the same samples wait for each other and do not lock
  /// each other out. Of what is there, the gateway that brought it may change what it said.
  private static let insertion = """
    INSERT INTO hrgate.sample AS kept (\(RowWriter.columns))
    SELECT DISTINCT ON (s.uuid, s."start") \(RowWriter.columns)
    FROM pg_temp.hrgate_stage s
    WHERE NOT EXISTS (SELECT FROM hrgate.tombstone t WHERE t.uuid = s.uuid)
    ORDER BY s.uuid, s."start"
    ON CONFLICT (uuid, "start") DO UPDATE SET
      "end" = excluded."end", value = excluded.value, origin = excluded.origin,
      metadata = excluded.metadata, series = excluded.series
    WHERE kept.gateway = excluded.gateway
      AND (kept."end", kept.value, kept.origin, kept.metadata, kept.series)
        IS DISTINCT FROM (excluded."end", excluded.value, excluded.origin, excluded.metadata, excluded.series)
    """

  /// Of the session: a table for each page would wear out the catalogue.
  static let stage = "CREATE TEMPORARY TABLE hrgate_stage (LIKE hrgate.sample) ON COMMIT DELETE ROWS"
}
