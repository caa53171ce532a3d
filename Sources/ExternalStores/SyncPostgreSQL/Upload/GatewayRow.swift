import HealthDataSync

/// The row of this gateway in `hrgate.gateway`. It is selected by the identity of the gateway's health store,
/// not by name.
struct GatewayRow {
  let identity: ExternalIdentity

  /// Returns the ID of the row, and creates the row if it is missing.
  ///
  /// Rows from before version 2 of the schema have a name but no identity. A gateway with that name adopts
  /// such a row and the tombstones (records of deleted samples) that belong to it.
  ///
  /// - Throws: `PostgreSQLError`.
  func number(through connection: Connection) throws -> Int32 {
    if let number = try find(connection) { return number }
    if let identity = identity.gatewayID {
      _ = try connection.perform(Self.adoption, [identity, self.identity.gateway])
    }
    _ = try connection.perform(
      "INSERT INTO hrgate.gateway (name, identity) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [identity.gateway, identity.gatewayID])
    return try find(connection) ?? 0
  }

  private func find(_ connection: Connection) throws -> Int32? {
    guard let id = identity.gatewayID else {
      return try connection.perform(
        "SELECT id FROM hrgate.gateway WHERE name = $1 AND identity IS NULL", [identity.gateway]
      ).number.map(Int32.init)
    }
    let row = try connection.perform("SELECT id, name FROM hrgate.gateway WHERE identity = $1", [id])
    guard let number = row.number else { return nil }
    if row[0, 1] != identity.gateway {
      _ = try connection.perform(
        "UPDATE hrgate.gateway SET name = $1 WHERE identity = $2", [identity.gateway, id])
    }
    return Int32(number)
  }

  /// Adopts a row without an identity. If two gateways have the same name, only the first one gets it.
  private static let adoption = """
    WITH adopted AS (
      UPDATE hrgate.gateway SET identity = $1
      WHERE name = $2 AND identity IS NULL AND NOT EXISTS (SELECT FROM hrgate.gateway WHERE identity = $1)
      RETURNING id)
    UPDATE hrgate.tombstone SET gateway = $1 WHERE gateway = $2 AND EXISTS (SELECT FROM adopted)
    """
}
