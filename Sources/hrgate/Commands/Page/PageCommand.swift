import ArgumentParser

/// Serves the web page.
struct PageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "page",
    abstract: "Show your data on a web page in your browser.",
    discussion: .paragraphs(
      """
      Serves the page until interrupted, only on this machine and only for you: other machines and other users cannot open it. The printed
      address works once, within a minute. The browser stays signed in until the page or the session ends, or until it is unused for a
      day. If the gateway already serves the page of that store (hrgate run --page, or page = yes in the settings), its address is printed
      and this command ends. From another machine, use an SSH tunnel: ssh -L 8099:127.0.0.1:8099 HOST, with --port 8099 on both.

      If the default store does not exist, it is created, and the page says how to begin: pair a strap, import an export of an iPhone, or run the demo.

      All values are computed as in hrgate stats, hrv and zones. The page can also change permissions, the order of sources, units and
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
