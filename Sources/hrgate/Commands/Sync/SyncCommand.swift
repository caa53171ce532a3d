import ArgumentParser

/// Syncs the store to external stores.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Carry what is stored to a database, a server, a broker or files.",
    discussion: .paragraphs(
      """
      A destination gets all changes of the store, deletions too, and what it has stays known when either side ends. After a failure the last of them
      come again, with the same UUIDs: a database, a server and files keep each once, and a broker passes on each time.
      hrgate run carries to every destination beside its other work. A destination that is away holds up nobody: it is tried again.

      EXAMPLES
        hrgate sync add lab postgresql://gateway@db.example/health \\
          --secret-file ~/.config/hrgate/lab
        hrgate sync add home mqtts://me@broker.example/hrgate?discovery=homeassistant
        hrgate sync add files file:///srv/health?format=ndjson --from 2026-01-01
        hrgate sync run --once
        hrgate sync status
      """),
    subcommands: [
      SyncAddCommand.self, SyncListCommand.self, SyncRemoveCommand.self, SyncRunCommand.self,
      SyncStatusCommand.self, SyncResetCommand.self,
    ],
    defaultSubcommand: SyncStatusCommand.self)
}
