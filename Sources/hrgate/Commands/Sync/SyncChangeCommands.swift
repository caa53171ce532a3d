import ArgumentParser
import HealthDataSync

/// Removes a sync destination.
struct SyncRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a sync destination: nothing more is sent to it. Data already sent stays there.",
    discussion:
      "hrgate forgets what it has sent: if you add the destination again, it receives all samples from the start."
  )

  @Argument(help: "The destination's name, as hrgate sync list shows it.")
  var name: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let destinations = try SyncDestinations(store.openExisting())
    try await Destinations.naming { try await destinations.remove(name) }
    try StandardOutput.write("removed: \(name.plain)")
  }
}

/// Resets the sync position of a destination, or retries its rejected records.
struct SyncResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Send all samples to a sync destination again, or only the samples that it rejected.",
    discussion: .paragraphs(
      """
      Use it if a destination has lost its data. In a database or on a FHIR server, each record replaces the one with the same UUID, so there
      are no duplicates. An MQTT broker receives each message again. For a directory, all lines are written again to new files: of several
      lines with the same UUID, use the last. With --set-aside only the records that the destination rejected are sent again, at once.
      """))

  @Argument(help: "The destination's name, as hrgate sync list shows it.")
  var name: String
  @Flag(help: "Send only the records again that the destination rejected, at once.")
  var setAside = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let destinations = try SyncDestinations(store.openExisting())
    try await Destinations.naming {
      if setAside { try await destinations.resetSetAside(name) } else { try await destinations.reset(name) }
    }
    try StandardOutput.write(
      setAside
        ? "\(name.plain): the records in the dead-letter list will be retried"
        : "\(name.plain): everything will be sent again")
  }
}
