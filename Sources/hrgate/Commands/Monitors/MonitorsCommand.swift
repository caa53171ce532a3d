import ArgumentParser

/// The heart-rate monitors that the gateway follows, and what is missing of what they sent.
struct MonitorsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitors",
    abstract: "Print the enrolled monitors or the gaps in what arrived from them, or change a setting.",
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
