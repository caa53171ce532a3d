import ArgumentParser
import HealthDataSync

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
