import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Lists the sources of samples, and sets their priority.
struct SourcesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sources",
    abstract: "List the apps and devices that recorded the stored samples, or set their order of precedence.",
    discussion: .paragraphs(
      """
      EXAMPLES
        hrgate sources
        hrgate sources --json
        hrgate sources order --type stepCount
      """),
    subcommands: [SourcesListCommand.self, SourcesOrderCommand.self],
    defaultSubcommand: SourcesListCommand.self)
}

/// Lists the sources of samples.
struct SourcesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the apps and devices that recorded the stored samples, with sample counts.")

  private struct Record: Encodable {
    var name: String
    var bundleIdentifier: String
    /// Number of samples by type identifier.
    var samples: [String: Int]
  }

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each app or device.")
  var json = false

  func run() async throws {
    for (source, samples) in try await store.openSystemForReading().sampleCounts() {
      let record = Record(name: source.name, bundleIdentifier: source.bundleIdentifier, samples: samples)
      if json {
        try StandardOutput.write(JSONLine.text(record))
      } else {
        let counts = samples.sorted(by: <).map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
        try StandardOutput.write("\(record.name.plain)  \(record.bundleIdentifier.plain)  \(counts)")
      }
    }
  }
}
