import ArgumentParser
import HealthKit
import HealthSystem

/// Sets a unit.
struct UnitsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the unit in which samples of a type are shown, such as lb for bodyMass.")

  @Argument(help: "The type of the samples, such as bodyMass.", transform: TypeArgument.read)
  var type: TypeArgument
  @Argument(
    help: "The unit, written as in HealthKit, such as kg, lb, mg/dL or count/min.",
    transform: UnitArgument.read)
  var unit: UnitArgument
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard try type.quantityType().is(compatibleWith: unit.unit) else {
      throw ValidationError("\(TypeArgument.shortName(type.type)) cannot be expressed in \(unit.unit).")
    }
  }

  func run() async throws {
    try await store.openSystem().setPreferredUnit(unit.unit, for: type.quantityType())
  }
}

/// Restores the default unit.
struct UnitsClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: "Reset the unit in which a type is shown to the usual one of your country.")

  @Argument(help: "The type of the samples, such as bodyMass.", transform: TypeArgument.read)
  var type: TypeArgument
  @OptionGroup var store: StoreOptions

  func validate() throws { _ = try type.quantityType() }

  func run() async throws {
    try await store.openExistingSystem().setPreferredUnit(nil, for: type.quantityType())
  }
}
