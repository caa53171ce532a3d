extension SampleDatabase {
  /// Makes this program the one that follows the store's monitors, until it closes the database or ends.
  /// - Throws: `StorageFailure`: `gatewayRuns` if another program is; `file` if that cannot be found out.
  package func becomeGateway() throws { try gateway.take() }

  /// Whether a program follows the store's monitors now.
  package var hasGateway: Bool { gateway.isTaken }
}
