import ArgumentParser

/// What people look at.
struct PageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "page",
    abstract: "Show what is stored on a page of your browser.",
    discussion: .paragraphs(
      """
      Serves the page until you interrupt it, on this machine alone: no other machine reaches it, and no other user of this one. The address
      that is printed opens once, within a minute; the browser stays in from then on, until the page or its session is ended, or it was away for a
      day. Where the gateway serves the page of that store (hrgate run --page, or page = yes in the settings), an address of that one is printed,
      and this ends. A browser on another machine gets in through an SSH tunnel: ssh -L 8099:127.0.0.1:8099 HOST, with --port 8099 on both.

      Every figure is that of hrgate stats, hrv and zones. What can be decided there can be decided on the page: permissions, the order of
      sources, units, goals, deleting, pairing and forgetting monitors.

      EXAMPLES
        hrgate page
        hrgate page --port 8099 --no-open
        hrgate page --person anna
        hrgate page sessions
        hrgate page sessions end --all
      """),
    subcommands: [PageServeCommand.self, PageSessionsCommand.self],
    defaultSubcommand: PageServeCommand.self)
}
