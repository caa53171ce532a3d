extension SampleDatabase {
  /// Makes the caller the one that follows the store's monitors, until ``resignAsGateway()``, or until the
  /// program closes the database or ends.
  /// - Throws: `StorageFailure`: `gatewayRuns` if there is one, in this program or another; `file` if that
  ///   cannot be found out.
  package func becomeGateway() throws { try gateway.take { .gatewayRuns(process: $0) } }

  /// Lets another become the gateway. For the one that became it.
  package func resignAsGateway() { gateway.giveBack() }

  /// Whether a program follows the store's monitors now.
  package var hasGateway: Bool { gateway.isTaken }
}
