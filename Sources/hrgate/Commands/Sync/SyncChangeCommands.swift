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

/// Resets the sync position of a destination, or retries its rejected records.
struct SyncResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Send everything to a destination again.",
    discussion: .paragraphs(
      """
      For a destination that has lost or overwritten its data. Each record replaces the one with the same identity, so a database or a FHIR
      server has no duplicates afterwards. A broker receives each message again. Files receive each line again in new files; the last line of
      a UUID is valid. With --set-aside only the records that the destination rejected are retried, without waiting for the next retry.
      """))

  @Argument(help: "The destination's name.")
  var name: String
  @Flag(help: "Only retry the records in the dead-letter list.")
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
