import ArgumentParser
import HealthDataSync

/// Syncs the store to external stores.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send the store's data to a database, a server, a broker or files.",
    discussion: .paragraphs(
      """
      A destination receives all changes of the store, including deletions. hrgate remembers what each destination has. After a failure, the
      last changes may be sent again with the same UUIDs: databases, servers and files keep each sample once; a broker passes on each message.
      hrgate run sends to all destinations while it runs. An unreachable destination delays nothing and is retried.

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

/// Lists the sync destinations.
struct SyncListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the destinations and what is sent to them.")

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each destination.")
  var json = false

  func run() async throws {
    let destinations = try await SyncDestinations(store.openExisting()).list().map(DestinationLine.init)
    if json {
      for destination in destinations { try StandardOutput.write(JSONLine.text(destination)) }
    } else if destinations.isEmpty {
      StandardError.tell(Destinations.none)
    } else {
      for line in DestinationLine.table(destinations) { try StandardOutput.write(line) }
    }
  }
}
