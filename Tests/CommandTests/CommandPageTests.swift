import Foundation
import ProgramSettings
import Testing

@testable import TestSupport

/// `docs/hrgate.md` against what the executable says of itself.
@Suite struct CommandPageTests {
  private struct Dump: Decodable {
    var command: Description
  }

  private struct Description: Decodable {
    var commandName: String
    var subcommands: [Description]?
    var arguments: [Argument]?
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var names: [Name]?
  }

  @Test func `each command has its row, with each of its options`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/hrgate.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| `hrgate ")
    }
    let output = try Command.hrgate("--experimental-dump-help").output
    let commands = Self.leaves(
      below: try JSONDecoder().decode(Dump.self, from: Data(output.utf8)).command, [])
    #expect(commands.count == rows.count)
    for (name, options) in commands {
      let row = rows.first { $0.hasPrefix("| `\(name)`") || $0.hasPrefix("| `\(name) <") }
      for option in options {
        #expect(row?.contains(option) == true, "\(name) \(option)")
      }
    }
  }

  @Test func `each setting has its row, with its variable and its default`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/hrgate.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
      $0.contains("| `HRGATE_")
    }
    #expect(rows.count == Setting.all.count)
    for setting in Setting.all {
      let row = rows.first { $0.hasPrefix("| `\(setting.name)` | `\(setting.variable)` | ") }
      let standard = row?.split(separator: "|").dropFirst(2).first?.replacing("`", with: "")
      #expect(standard?.trimmingCharacters(in: .whitespaces) == setting.standardText, "\(setting.name)")
    }
  }

  /// The commands that do something, with their long options.
  private static func leaves(
    below command: Description, _ path: [String]
  ) -> [(name: String, options: [String])] {
    let path = path + [command.commandName]
    let below = (command.subcommands ?? []).filter { $0.commandName != "help" }
    guard below.isEmpty else { return below.flatMap { leaves(below: $0, path) } }
    let names = (command.arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }
    let options = names.map { "--" + $0.name }.filter { !["--help", "--version"].contains($0) }
    return [(path.joined(separator: " "), options)]
  }
}
