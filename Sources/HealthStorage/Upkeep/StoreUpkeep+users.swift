extension StoreUpkeep {
  /// Whether another program has the store open. Call this only if this program does not have it open.
  package static func isOpen(_ path: String) -> Bool { StoreUse.isOpen(path) }

  /// Finds the gateway that runs on a store, without opening the store.
  /// - Returns: nil if no gateway runs; otherwise its process ID, or `.some(nil)` if the ID is unknown.
  package static func gateway(ofStoreAt path: String) -> Int32?? {
    let lock = ProgramLock(ofGatewayOfDatabaseAt: path)
    return lock.isTaken ? .some(lock.process) : nil
  }
}
