import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Prints or sets the priority of a type's sources.
struct SourcesOrderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract:
      "Show or set which app or device takes precedence if several recorded the same steps or energy.",
    discussion: .paragraphs(
      """
      A source is an app or device that recorded samples. If several sources recorded steps, energy or another sum for the same time, only
      the first source in the order counts for that time; the others fill its gaps. Sources that you do not name come last, in the default
      order: Apple's devices, then the others, newest first. Manually entered samples come before all of them.

      EXAMPLES
        hrgate sources order --type stepCount
        hrgate sources order --type stepCount com.example.watch com.example.phone
        hrgate sources order --type stepCount --default
      """))

  /// A source as `--json` prints it. The field names are stable.
  private struct Record: Encodable {
    /// Priority, starting at 1 for the highest.
    var place: Int
    var name: String
    var bundleIdentifier: String
    /// Whether the user set this priority.
    var chosen: Bool
  }

  @Option(
    help: "The sample type whose order to show or set, such as stepCount.", transform: TypeArgument.read)
  var type: TypeArgument
  @Argument(
    help: ArgumentHelp(
      "Bundle identifiers of apps or devices, as hrgate sources shows them, in order of precedence (default: show the current order).",
      valueName: "bundle-id"))
  var sources: [String] = []
  @Flag(
    name: .customLong("default"),
    help: "Restore the default order: Apple's devices, then the others, newest first.")
  var restoresDefault = false
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each app or device.")
  var json = false

  func validate() throws {
    _ = try type.quantityType()
    if restoresDefault, !sources.isEmpty {
      throw ValidationError("--default and sources cannot be used together.")
    }
  }

  func run() async throws {
    let store = try store.openExistingSystem()
    let type = try type.quantityType()
    if restoresDefault || !sources.isEmpty { try await set(type, store) }
    for (index, entry) in try await store.sourceOrder(of: type).enumerated() {
      let record = Record(
        place: index + 1, name: entry.source.name, bundleIdentifier: entry.source.bundleIdentifier,
        chosen: entry.isChosen)
      try StandardOutput.write(json ? JSONLine.text(record) : text(record))
    }
  }

  private func set(_ type: HKQuantityType, _ store: SystemStore) async throws {
    do {
      try await store.setSourceOrder(sources, of: type)
    } catch let error as HKError {
      throw CommandError("the order cannot be set: \(error.localizedDescription)")
    }
  }

  private func text(_ record: Record) -> String {
    "\(record.place)  \(record.name.plain)  \(record.bundleIdentifier.plain)\(record.chosen ? "" : "  (by default)")"
  }
}
