import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Shows and edits the user's characteristics, such as the date of birth.
struct CharacteristicsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "characteristics",
    abstract: "Print or set your date of birth, blood type and other fixed characteristics.",
    discussion: .paragraphs(
      """
      Applications can read them if you permit it (`hrgate permissions`). No application can change them.

      EXAMPLES
        hrgate characteristics
        hrgate characteristics set dateOfBirth 1990-05-17
        hrgate characteristics set bloodType aPositive
        hrgate characteristics clear bloodType
      """),
    subcommands: [
      CharacteristicsListCommand.self, CharacteristicsSetCommand.self, CharacteristicsClearCommand.self,
    ], defaultSubcommand: CharacteristicsListCommand.self)
}

/// Prints the characteristics.
struct CharacteristicsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print your date of birth, blood type and other characteristics.")

  /// The JSON object that `--json` prints. The names are stable.
  private struct Record: Encodable {
    var characteristic: String
    /// Absent if the characteristic is not set.
    var value: String?
  }

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each characteristic.")
  var json = false

  func run() async throws {
    let store = try await store.openForReading()
    for characteristic in Characteristic.allCases {
      let record = Record(
        characteristic: characteristic.rawValue, value: try characteristic.text(in: store))
      try StandardOutput.write(
        json ? JSONLine.text(record) : "\(record.characteristic)  \(record.value ?? "not set")")
    }
  }
}
