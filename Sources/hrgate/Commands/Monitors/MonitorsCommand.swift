import ArgumentParser

/// Shows the enrolled monitors and their gaps, and changes their settings.
struct MonitorsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitors",
    abstract: "Show the enrolled monitors or their gaps, or change a setting.",
    discussion: .paragraphs(
      """
      EXAMPLES
        hrgate monitors
        hrgate monitors --json
        hrgate monitors gaps --monitor C0:FF:EE:00:00:01 --last 20
        hrgate monitors set C0:FF:EE:00:00:01 --interval-unit ms
      """),
    subcommands: [MonitorsListCommand.self, MonitorsGapsCommand.self, MonitorsSetCommand.self],
    defaultSubcommand: MonitorsListCommand.self)
}
