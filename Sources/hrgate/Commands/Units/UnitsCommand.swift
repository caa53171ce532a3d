import ArgumentParser

/// Shows and sets the user's preferred units.
struct UnitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "units",
    abstract: "Choose the units that applications show.",
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
