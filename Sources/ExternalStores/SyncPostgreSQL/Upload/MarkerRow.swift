import Foundation
import HealthDataSync

/// The row of `hrgate.marker` that reveals whether the database lost data.
struct MarkerRow {
  let marker: DestinationMarker
  let address: PostgreSQLAddress

  /// Returns the sequence in the row, and creates the row if it is not expected to exist.
  ///
  /// - Throws: `ExternalStoreError` if the row is expected and missing; `PostgreSQLError`.
  func sequence(through connection: Connection) throws -> Int64 {
    let find = "SELECT sequence FROM hrgate.marker WHERE id = $1"
    if let found = try connection.perform(find, [marker.id.uuidString]).number { return Int64(found) }
    guard !marker.isExpected else { throw lost }
    _ = try connection.perform(
      "INSERT INTO hrgate.marker (id, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING",
      [marker.id.uuidString])
    return 0
  }

  /// The statement that advances the row in a page's transaction.
  ///
  /// It affects one row, unless the row no longer has the last page's sequence. For a first page it also
  /// creates the row, because the destination may have been reset while the session was open.
  var advance: String {
    let (id, sequence) = ("'\(marker.id.uuidString)'", marker.sequence ?? 0)
    return sequence <= 1
      ? """
      INSERT INTO hrgate.marker AS kept (id, sequence) VALUES (\(id), \(sequence))
      ON CONFLICT (id) DO UPDATE SET sequence = greatest(kept.sequence, excluded.sequence), sent_at = now()
      """
      : """
      UPDATE hrgate.marker SET sequence = greatest(sequence, \(sequence)), sent_at = now()
      WHERE id = \(id) AND sequence >= \(sequence - 1)
      """
  }

  var lost: ExternalStoreError {
    .lostData("PostgreSQL at \(address) does not have the last page in hrgate.marker")
  }

  /// Returns the error for a missing schema.
  static func lostSchema(at address: PostgreSQLAddress) -> ExternalStoreError {
    .lostData("the schema hrgate of PostgreSQL at \(address) is missing")
  }
}
