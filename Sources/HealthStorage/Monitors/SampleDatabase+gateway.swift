extension SampleDatabase {
  /// Makes the caller the gateway of this store, until ``resignAsGateway()`` or until the program closes the
  /// database or ends.
  /// - Throws: `StorageError`: `gatewayRuns` if there is a gateway in this program or another; `file` if
  ///   the lock cannot be checked.
  package func becomeGateway() throws { try gateway.take { .gatewayRuns(process: $0) } }

  /// Allows another program to become the gateway. Call this only if `becomeGateway()` succeeded.
  package func resignAsGateway() { gateway.giveBack() }

  /// Whether a gateway runs on this store.
  package var hasGateway: Bool { gateway.isTaken }
}
