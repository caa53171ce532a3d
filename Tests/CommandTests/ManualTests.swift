import ArgumentParser
import Foundation
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests the man pages and completions of the package, which are generated from the executable.
@Suite struct ManualTests {
  private static let generator = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../packaging/manual.py").standardized.path

  private struct Dump: Decodable {
    var command: Description
  }

  private struct Description: Decodable {
    var commandName: String
    var abstract: String?
    var subcommands: [Description]?
    var arguments: [Argument]?

    /// All commands including this one, with the names of their pages.
    func pages(below path: [String] = []) -> [(name: String, command: Description)] {
      let path = path + [commandName]
      let below = (subcommands ?? []).filter { $0.commandName != "help" }
      return [(path.joined(separator: "-"), self)] + below.flatMap { $0.pages(below: path) }
    }
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var abstract: String?
    var shouldDisplay: Bool?
  }

  private static func commands() throws -> [(name: String, command: Description)] {
    let output = try Command.hrgate("--experimental-dump-help").output
    return try JSONDecoder().decode(Dump.self, from: Data(output.utf8)).command.pages()
  }

  private func manual() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let made = try Command.tool(
      "python3", [Self.generator, Command.hrgate.path, folder.url.path, "2026-11-21"])
    try #require(made.status == 0, "\(made.errors)")
    return folder
  }

  @Test func `each command has a page that explains each of its options`() throws {
    let folder = try manual()
    let commands = try Self.commands()
    #expect(commands.count > 50)
    for (name, command) in commands {
      let page = try String(contentsOfFile: folder.path("\(name).1"), encoding: .utf8)
      #expect(page.contains(".Nm \(name)\n.Nd "), "\(name)")
      guard command.subcommands == nil else { continue }
      // Hidden options exist only to be rejected with a message, so they are not documented.
      let displayed = (command.arguments ?? []).filter { $0.shouldDisplay != false }
      for option in displayed.flatMap({ $0.names ?? [] }) where option.kind == "long" {
        let item = "Fl \\-" + option.name.replacing("-", with: "\\-")
        let lines = page.split(separator: "\n")
        let heading = lines.firstIndex { $0.hasPrefix(".It ") && ($0 + " ").contains(item + " ") }
        #expect(heading.map { !lines[$0 + 1].hasPrefix(".") } == true, "\(name) --\(option.name)")
      }
    }
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(pages.count == commands.count)
  }

  @Test(.enabled(if: Command.path(of: "mandoc") != nil, "skipped: mandoc is not installed"))
  func `mandoc reports no warning for the pages`() throws {
    let folder = try manual()
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted().map(folder.path)
    let result = try Command.tool("mandoc", ["-T", "lint", "-W", "warning"] + pages)
    #expect(result.status == 0, "\(result.output)")
    let shown = try Command.tool("mandoc", ["-T", "utf8", folder.path("hrgate-pair.1")]).output
    // mandoc prints a bold letter as letter, backspace, letter. Remove the first two.
    let plain = shown.replacing(#/.\u{8}/#, with: "")
    #expect(plain.contains("hrgate pair monitor [--passkey"))
    #expect(plain.contains("hrgate pair F0:0D:BE:A7:01:02 --passkey 123456"))
  }

  @Test func `each option and argument has a help text, and no default is Swift source`() throws {
    for (name, command) in try Self.commands() {
      #expect(command.abstract?.isEmpty == false, "\(name)")
      for argument in command.arguments ?? [] {
        let option = "\(name) \(argument.valueName ?? "")"
        #expect(argument.abstract?.isEmpty == false, "\(option)")
        let text = (argument.defaultValue ?? "") + (argument.abstract ?? "")
        #expect(!text.contains(#/Optional\(|\w+\(\w+:|\w+Argument\b|\bnil\b/#), "\(option): \(text)")
      }
    }
  }

  @Test func `the help wraps its lines only at the width of the terminal`() {
    func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
      [command] + command.configuration.subcommands.flatMap(all)
    }
    let columns = 80
    let commands = all(HRGate.self)
    #expect(commands.count > 50)
    for command in commands {
      let help = HRGate.helpMessage(for: command, columns: columns)
      let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines where !line.hasPrefix("USAGE:") && !line.hasPrefix("  [") {
        #expect(line.count <= columns, "\(line)")
      }
      for (line, next) in zip(lines, lines.dropFirst()).prefix(while: { !$0.1.hasPrefix("USAGE:") }) {
        let isText = [line, next].allSatisfy { !$0.isEmpty && !$0.hasPrefix("  ") } && line != "EXAMPLES"
        // Each entry of a list of names and meanings has its own line, so the lines are not wrapped.
        if next.contains(#/^\w+: /#) { continue }
        guard isText, let word = next.split(separator: " ").first else { continue }
        #expect(line.count + 1 + word.count >= columns, "\(line)\n\(next)")
      }
    }
  }

  @Test func `a paragraph is one line, and indented lines and lists are kept`() {
    let text = String.paragraphs(
      """
      One sentence
      goes on:
        an example
        another
      and ends.

      csv: a table
      json: objects
      """)
    #expect(
      text == "One sentence goes on:\n  an example\n  another\nand ends.\n\ncsv: a table\njson: objects")
  }

  @Test(.enabled(if: Command.path(of: "bash") != nil, "skipped: bash is not installed"))
  func `bash completes commands, options, values and files`() throws {
    let folder = try TemporaryFolder()
    let script = folder.path("completions")
    try Command.hrgate("--generate-completion-script", "bash").output.write(
      toFile: script, atomically: true, encoding: .utf8)
    _ = try folder.file("strap.btsnoop", [])
    let complete = """
      cd "$1" && . "$2" && shift 2
      COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _hrgate hrgate "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}" 2>/dev/null
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let cases = [
      (["pai"], "pair"), (["sync", "sta"], "status"), (["run", "--commit"], "--commit-interval"),
      (["hrv", "--method", "we"], "welch"), (["replay", "stra"], "strap.btsnoop"),
      (["samples", "--store", "stra"], "strap.btsnoop"),
    ]
    for (words, completion) in cases {
      let result = try Command.tool(
        "bash", ["--norc", "-c", complete, "_", folder.url.path, script, "hrgate"] + words)
      let offered = result.lines.map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(offered.contains(completion), "\(words): \(result)")
    }
  }
}
