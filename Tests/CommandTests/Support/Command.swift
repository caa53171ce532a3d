import Foundation
import Testing

@testable import TestSupport

/// The exit status and output of a run of an executable.
struct CommandResult {
  var status: Int32
  var output: String
  var errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Each line of the output as a JSON object.
  func objects() throws -> [[String: Any]] {
    try lines.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }
}

enum Command {
  /// The executable that was built beside these tests.
  static let hrgate: URL = {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: "hrgate")
  }()

  static func hrgate(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandResult {
    try run(hrgate, arguments, environment: environment)
  }

  static func hrgate(
    _ command: String, _ arguments: [String], environment: [String: String]
  ) throws -> CommandResult { try run(hrgate, [command] + arguments, environment: environment) }

  /// Returns an environment without a D-Bus bus, even if the machine has one.
  static func withoutBus(_ folder: TemporaryFolder) -> [String: String] {
    ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path("no-bus"))"]
  }

  static func hrgate(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> CommandResult { try run(hrgate, arguments, environment: environment) }

  static func hrgate(_ arguments: [String], in directory: TemporaryFolder) throws -> CommandResult {
    try run(hrgate, arguments, in: directory)
  }

  /// Runs hrgate with the given text as standard input.
  static func hrgate(_ arguments: String..., typing input: String) throws -> CommandResult {
    try run(hrgate, arguments, input: input)
  }

  static func hrgate(
    _ arguments: [String], typing input: String, environment: [String: String]
  ) throws -> CommandResult { try run(hrgate, arguments, environment: environment, input: input) }

  /// Runs a program found on the path.
  static func tool(_ name: String, _ arguments: [String]) throws -> CommandResult {
    try run(try #require(path(of: name)), arguments)
  }

  static func path(of tool: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { URL(filePath: String($0)).appending(path: tool) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  private static func run(
    _ executable: URL, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    in directory: TemporaryFolder? = nil
  ) throws -> CommandResult {
    // Redirects to files, because a pipe that is not read could block the process.
    let folder = try TemporaryFolder()
    let output = folder.path("output")
    let errors = folder.path("errors")
    for path in [output, errors] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = directory.url }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle(forReadingAtPath: try folder.file("input", Array(input.utf8)))
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    process.waitUntilExit()
    return CommandResult(
      status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }
}
