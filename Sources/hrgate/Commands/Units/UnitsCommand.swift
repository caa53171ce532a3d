import ArgumentParser

/// The units in which the user wants to see values.
struct UnitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "units",
    abstract: "Choose the units in which applications show you values.",
    discussion: .paragraphs(
      """
      Applications ask for your units; a type without a choice of yours is shown in the unit that is usual in your country.

      EXAMPLES
        hrgate units
        hrgate units set bodyMass lb
        hrgate units clear bodyMass
      """),
    subcommands: [UnitsListCommand.self, UnitsSetCommand.self, UnitsClearCommand.self],
    defaultSubcommand: UnitsListCommand.self)
}
