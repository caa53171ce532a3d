import ArgumentParser

/// Who has stored samples, and who of them is believed first.
struct SourcesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sources",
    abstract: "Print the sources of the stored samples, or put them in order.",
    discussion: .paragraphs(
      """
      EXAMPLES
        hrgate sources
        hrgate sources --json
        hrgate sources order --type stepCount
      """),
    subcommands: [SourcesListCommand.self, SourcesOrderCommand.self],
    defaultSubcommand: SourcesListCommand.self)
}
