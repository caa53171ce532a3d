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

  /// What `--json` prints. The names are a promise.
  private struct Record: Encodable {
    var id: String
    /// Of the page.
    var port: Int
    var opened: String
    var lastUsed: String
  }

  @Flag(help: "Print one JSON object for each session.")
  var json = false

  func run() async throws {
    let sessions = try PageFailure.told { try PageControl(socketsIn: PageSockets.folder).sessions() }
    for session in sessions {
      let record = Record(
        id: session.id, port: session.port, opened: Timestamp.text(session.opened),
        lastUsed: Timestamp.text(session.lastUsed))
      try StandardOutput.write(
        json
          ? JSONLine.text(record)
          : "\(record.id)  port \(record.port)  opened \(record.opened)  last used \(record.lastUsed)")
    }
    if sessions.isEmpty { StandardError.tell("no browser is on a page") }
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
    let ended = try PageFailure.told { try PageControl(socketsIn: PageSockets.folder).end(id) }
    if let id, ended == 0 {
      throw Failure("there is no session \(id): hrgate page sessions says which there are")
    }
    try StandardOutput.write("ended: \(Counted.text(ended, "session"))")
  }
}

extension PageFailure {
  /// The result of the work. A failure ends the command with its sentence.
  static func told<Value>(_ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let failure as PageFailure {
      throw Failure(failure.description)
    }
  }
}
