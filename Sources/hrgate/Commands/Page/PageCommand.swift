import ArgumentParser

/// Serves the web page.
struct PageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "page",
    abstract: "Show your data on a web page in your browser.",
    discussion: .paragraphs(
      """
      Serves the page until Ctrl-C, only on this machine and only for you: other machines and other users cannot open it. The printed address
      works once, within a minute. The browser stays signed in until the page ends, until you sign it out, or until it is unused for a day. If
      hrgate run already serves the page of the same store (--page, or page = yes in the settings), this command prints its address and ends.
      To open the page from another machine, run hrgate page --port 8099 here and ssh -L 8099:127.0.0.1:8099 HOST there.

      If the default store (database file) does not exist, it is created, and the page says how to begin: pair a strap, import an export of an
      iPhone, or run the demo.

      The page shows the same values as hrgate stats, hrv and zones. On it you can also change permissions, the order of sources, units and
      goals, add and delete samples, import and back up, and pair and forget monitors.

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
