import ArgumentParser

/// Maintains the file of a store.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Maintain the database file with your health data: check, back up, restore, shrink, encrypt.",
    discussion: .paragraphs(
      """
      EXAMPLES
        hrgate store check
        hrgate store condense
        hrgate store backup /media/disk/health-2026-11.sqlite
        hrgate store restore /media/disk/health-2026-11.sqlite
        hrgate store recover saved.sqlite
        hrgate store encrypt
        hrgate store unlock
      """),
    subcommands: [
      StoreCheckCommand.self, StoreBackupCommand.self, StoreRestoreCommand.self, StoreCondenseCommand.self,
      StoreVacuumCommand.self, StoreRecoverCommand.self, StoreEncryptCommand.self, StoreDecryptCommand.self,
      StoreUnlockCommand.self, StoreLockCommand.self, StoreStatusCommand.self, StoreKeysCommand.self,
    ])
}
