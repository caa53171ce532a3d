import ArgumentParser
import HealthDataSync

/// Removes a sync destination.
struct SyncRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a sync destination. Data already sent stays there.",
    discussion: "Its position is forgotten: if the destination is added again, it receives everything again.")

  @Argument(help: "The destination's name.")
  var name: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let destinations = try SyncDestinations(store.openExisting())
    try await Destinations.naming { try await destinations.remove(name) }
    try StandardOutput.write("removed: \(name.plain)")
  }
}
