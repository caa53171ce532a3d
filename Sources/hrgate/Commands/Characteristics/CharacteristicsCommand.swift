import ArgumentParser

/// Shows and edits the user's characteristics, such as the date of birth.
struct CharacteristicsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "characteristics",
    abstract: "Print or set your characteristics: date of birth, blood type and the like.",
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
