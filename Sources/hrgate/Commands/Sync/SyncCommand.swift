import ArgumentParser
import HealthDataSync

/// Syncs the store to external stores.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send your health data to a database, a FHIR server, an MQTT broker or files.",
    discussion: .paragraphs(
      """
      A destination is a database, server, broker or directory added with hrgate sync add. It receives all stored samples, then new ones and
      deletions; hrgate remembers what it has sent. After a failure, the last changes may be sent again with the same UUIDs: databases, servers
      and files still have each sample once; an MQTT broker passes on each message again.

      hrgate run sends to all destinations while it runs. An unreachable destination is retried and delays nothing else.

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
    commandName: "list",
    abstract: "List the sync destinations with their addresses, and which samples are sent to each.")

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each destination.")
  var json = false

  func run() async throws {
    let destinations = try await SyncDestinations(store.openExisting()).list().map(DestinationLine.init)
    if json {
      for destination in destinations { try StandardOutput.write(JSONLine.text(destination)) }
    } else if destinations.isEmpty {
      StandardError.print(Destinations.none)
    } else {
      for line in DestinationLine.table(destinations) { try StandardOutput.write(line) }
    }
  }
}
