import ArgumentParser
import HealthKit
import HealthSystem

/// Sets a characteristic.
struct CharacteristicsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Store your date of birth, blood type or another characteristic.",
    discussion: Characteristic.allCases.map {
      "\($0.rawValue): \($0.values?.map(\.name).joined(separator: ", ") ?? "a date, such as 1990-05-17")"
    }.joined(separator: "\n"))

  @Argument(help: "The characteristic to store, such as bloodType.")
  var characteristic: Characteristic
  @Argument(
    help:
      "Value of the characteristic: a date such as 1990-05-17 for dateOfBirth, otherwise a name such as aPositive (see hrgate help characteristics set)."
  )
  var value: String
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard characteristic.values == nil ? day == nil : rawValue == nil else { return }
    let values = characteristic.values?.map(\.name).joined(separator: ", ")
    throw ValidationError(
      "\(characteristic.rawValue) is \(values.map { "one of: \($0)" } ?? "a date, such as 1990-05-17").")
  }

  private var day: ActivityDay? { DayArgument(argument: value)?.day }
  private var rawValue: Int? { characteristic.values?.first { $0.name == value }?.rawValue }

  func run() async throws {
    let store = try store.openSystem()
    if characteristic == .dateOfBirth {
      try await store.setDateOfBirth(day)
    } else {
      try await store.setCharacteristic(characteristic.identifier, to: rawValue)
    }
  }
}

/// Clears a characteristic.
struct CharacteristicsClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Delete the stored value of a characteristic, such as your blood type.")

  @Argument(help: "The characteristic to delete, such as bloodType.")
  var characteristic: Characteristic
  @OptionGroup var store: StoreOptions

  func run() async throws {
    try await store.openExistingSystem().setCharacteristic(characteristic.identifier, to: nil)
  }
}

extension Characteristic: ExpressibleByArgument {}
