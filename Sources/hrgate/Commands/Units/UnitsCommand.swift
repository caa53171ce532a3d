import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Shows and sets the user's preferred units.
struct UnitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "units",
    abstract: "Choose the units in which values are shown, such as kg or lb.",
    discussion: .paragraphs(
      """
      Applications ask for your units. A type without a chosen unit is shown in the usual unit of your country.

      EXAMPLES
        hrgate units
        hrgate units set bodyMass lb
        hrgate units clear bodyMass
      """),
    subcommands: [UnitsListCommand.self, UnitsSetCommand.self, UnitsClearCommand.self],
    defaultSubcommand: UnitsListCommand.self)
}

/// Prints the chosen units.
struct UnitsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the types for which you have chosen a unit.")

  /// The JSON object that `--json` prints. The names are stable.
  private struct Record: Encodable {
    var type: String
    var unit: String
    /// Whether the user chose the unit. Otherwise it is the default of the country.
    var chosen: Bool
  }

  @Flag(help: "List all types, also those shown in the usual unit of your country.")
  var all = false
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each type.")
  var json = false

  func run() async throws {
    let store = try await store.openSystemForReading()
    let chosen = try await store.chosenUnits()
    let types = Set(TypeArgument.all.compactMap { $0 as? HKQuantityType })
    let units = all ? try await store.healthStore.preferredUnits(for: types) : chosen
    for (type, unit) in units.sorted(by: { $0.key.identifier < $1.key.identifier }) {
      let record = Record(
        type: type.identifier, unit: unit.unitString, chosen: chosen[type] != nil)
      let text = "\(TypeArgument.shortName(type))  \(record.unit)\(record.chosen ? "" : "  (by default)")"
      try StandardOutput.write(json ? JSONLine.text(record) : text)
    }
  }
}
