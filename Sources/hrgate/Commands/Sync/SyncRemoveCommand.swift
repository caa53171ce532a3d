import ArgumentParser
import HealthDataSync

/// Removes a sync destination.
struct SyncRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Carry nothing more to a destination. What is there stays there.",
    discussion: "How far it has come is forgotten: added anew, it gets everything once more.")

  @Argument(help: "The destination's name.")
  var name: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let destinations = try SyncDestinations(store.openExisting())
    try await Destinations.naming { try await destinations.remove(name) }
    try StandardOutput.write("removed: \(name.plain)")
  }
}
