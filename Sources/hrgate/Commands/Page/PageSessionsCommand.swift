import ArgumentParser
import Foundation
import HealthDataSync
import HealthPage

/// Lists and ends browser sessions of the page.
struct PageSessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List or end the browser sessions of your pages.",
    subcommands: [PageSessionsListCommand.self, PageSessionsEndCommand.self],
    defaultSubcommand: PageSessionsListCommand.self)
}

struct PageSessionsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the sessions of all running pages.")

  @Flag(help: "Print one JSON object for each session.")
  var json = false

  func run() async throws {
    let sessions = PageControl(socketsIn: PageSockets.folders).sessions()
    for session in sessions.value {
      try StandardOutput.write(json ? JSONLine.text(session) : session.text)
    }
    for failure in sessions.failures { StandardError.tell(failure) }
    if sessions.value.isEmpty { StandardError.tell("there is no browser session") }
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
    commandName: "end", abstract: "End one session or all: the browser must sign in again.")

  @Argument(help: "The session's ID, as hrgate page sessions prints it.")
  var id: String?
  @Flag(help: "End all sessions of all pages.")
  var all = false

  func validate() throws {
    guard (id != nil) != all else { throw ValidationError("Give a session or --all.") }
  }

  func run() async throws {
    let ended = try PageControl(socketsIn: PageSockets.folders).end(id)
    for failure in ended.failures { StandardError.tell(failure) }
    if let id, ended.value == 0 {
      throw Failure("there is no session \(id); list the sessions with: hrgate page sessions")
    }
    try StandardOutput.write("ended: \(Counted.text(ended.value, "session"))")
    // Sessions of a page that did not answer may still be open.
    if all, !ended.failures.isEmpty { throw ExitCode.failure }
  }
}
