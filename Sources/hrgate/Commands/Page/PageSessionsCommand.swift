import ArgumentParser
import Foundation
import HealthDataSync
import HealthPage

/// Lists and ends browser sessions of the page.
struct PageSessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "List the browsers that are signed in to your web page, or sign them out.",
    subcommands: [PageSessionsListCommand.self, PageSessionsEndCommand.self],
    defaultSubcommand: PageSessionsListCommand.self)
}

struct PageSessionsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the browsers that are signed in to your web page: ID, port, and when each was last used.")

  @Flag(help: "Print one JSON object for each browser.")
  var json = false

  func run() async throws {
    let sessions = PageControl(socketsIn: PageSockets.folders).sessions()
    for session in sessions.value {
      try StandardOutput.write(json ? JSONLine.text(session) : session.text)
    }
    for failure in sessions.failures { StandardError.print(failure) }
    if sessions.value.isEmpty {
      StandardError.print("no browser is signed in; open the page with: hrgate page")
    }
  }
}

extension SessionView {
  /// The session as a line of text.
  fileprivate var text: String {
    "\(id)  port \(port ?? 0)  opened \(Timestamp.text(opened))  last used \(Timestamp.text(lastUsed))"
  }
}

struct PageSessionsEndCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end",
    abstract: "Sign out one browser or all browsers from your web page. To sign in again, run hrgate page.")

  @Argument(help: "ID of the browser to sign out, from the first column of hrgate page sessions.")
  var id: String?
  @Flag(help: "Sign out all browsers instead of one.")
  var all = false

  func validate() throws {
    guard (id != nil) != all else {
      throw ValidationError("Give the ID of a session (see hrgate page sessions), or --all.")
    }
  }

  func run() async throws {
    let ended = try PageControl(socketsIn: PageSockets.folders).end(id)
    for failure in ended.failures { StandardError.print(failure) }
    if let id, ended.value == 0 {
      throw CommandError("there is no session \(id); list the sessions with: hrgate page sessions")
    }
    try StandardOutput.write("ended: \(Counted.text(ended.value, "session"))")
    // Sessions of a page that did not answer may still be open.
    if all, !ended.failures.isEmpty { throw ExitCode.failure }
  }
}
