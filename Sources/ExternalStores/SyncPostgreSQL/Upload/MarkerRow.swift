import Foundation
import HealthDataSync

/// The row of `hrgate.marker` that contains the number of the last page of changes that was sent. If the row
/// is missing or its number is too low, the database lost data.
struct MarkerRow {
  let marker: DestinationMarker
  let address: PostgreSQLAddress

  /// Returns the page number in the row. If the marker is new, creates the row.
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

  /// The statement that stores the number of a page of changes, in the transaction that writes the page.
  ///
  /// It affects one row, or none if the row does not have the number of the previous page. For the first
  /// page, it creates the row if necessary, because the destination may have been reset while the session was
  /// open.
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
