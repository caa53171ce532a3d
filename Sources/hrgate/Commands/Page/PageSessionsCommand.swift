import ArgumentParser
import Foundation
import HealthDataSync
import HealthPage

/// The browsers that are in.
struct PageSessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Print the browsers that are on your pages, or send them away.",
    subcommands: [PageSessionsListCommand.self, PageSessionsEndCommand.self],
    defaultSubcommand: PageSessionsListCommand.self)
}

struct PageSessionsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the sessions of all pages that run.")

  @Flag(help: "Print one JSON object for each session.")
  var json = false

  func run() async throws {
    let sessions = PageControl(socketsIn: PageSockets.folders).sessions()
    for session in sessions.value {
      try StandardOutput.write(json ? JSONLine.text(session) : session.text)
    }
    for failure in sessions.failures { StandardError.tell(failure) }
    if sessions.value.isEmpty { StandardError.tell("no browser is on a page") }
  }
}

extension SessionView {
  /// A line for a person.
  fileprivate var text: String {
    "\(id)  port \(port ?? 0)  opened \(Timestamp.text(opened))  last used \(Timestamp.text(lastUsed))"
  }
}

struct PageSessionsEndCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End a session, or all: the browser has to come in anew.")

  @Argument(help: "The session, as hrgate page sessions names it.")
  var id: String?
  @Flag(help: "All sessions of all pages.")
  var all = false

  func validate() throws {
    guard (id != nil) != all else { throw ValidationError("Name a session, or all with --all.") }
  }

  func run() async throws {
    let ended = try PageControl(socketsIn: PageSockets.folders).end(id)
    for failure in ended.failures { StandardError.tell(failure) }
    if let id, ended.value == 0 {
      throw Failure("there is no session \(id): hrgate page sessions says which there are")
    }
    try StandardOutput.write("ended: \(Counted.text(ended.value, "session"))")
    // A session of one that says nothing may go on.
    if all, !ended.failures.isEmpty { throw ExitCode.failure }
  }
}
