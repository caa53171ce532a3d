import ArgumentParser

/// Lists the sources of samples, and sets their priority.
struct SourcesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sources",
    abstract: "List the sources of the stored samples, or set their order.",
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
