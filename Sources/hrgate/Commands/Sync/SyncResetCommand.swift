import ArgumentParser
import HealthDataSync

/// Resets the sync position of a destination, or retries its rejected records.
struct SyncResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Have everything carried to a destination once more.",
    discussion: .paragraphs(
      """
      For a destination that lost what it had, or has something else under the same identities: each record takes the place of what is there. A
      database or a FHIR server has none twice then. A broker gets each message once more; files get each line once more, in new files, and the last
      line of a UUID counts. With --set-aside only what the destination refused is tried again, at once and not when its pause is over.
      """))

  @Argument(help: "The destination's name.")
  var name: String
  @Flag(help: "Try again what is set aside, and nothing else.")
  var setAside = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let destinations = try SyncDestinations(store.openExisting())
    try await Destinations.naming {
      if setAside { try await destinations.resetSetAside(name) } else { try await destinations.reset(name) }
    }
    try StandardOutput.write(
      setAside
        ? "to be tried again: what \(name.plain) has set aside"
        : "to be carried once more: everything to \(name.plain)")
  }
}
