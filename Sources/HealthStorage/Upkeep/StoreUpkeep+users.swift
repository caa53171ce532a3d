extension StoreUpkeep {
  /// Whether another program has a store open. To be asked only where this program has it not.
  package static func isOpen(_ path: String) -> Bool { StoreUse.isOpen(path) }

  /// The gateway that runs on a store, without opening it.
  /// - Returns: nil where there is none; its process where that is known.
  package static func gateway(ofStoreAt path: String) -> Int32?? {
    let lock = ProgramLock(ofGatewayOfDatabaseAt: path)
    return lock.isTaken ? .some(lock.process) : nil
  }
}
