import Foundation

@testable import TestSupport

/// The exit status and output of a program in the search path.
struct Tool {
  let status: Int32
  let text: String

  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Tool {
    let folder = try TemporaryFolder()
    // A file instead of a pipe, which could fill up while the process runs.
    let output = folder.path("output")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let handle = FileHandle(forWritingAtPath: output)
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    process.waitUntilExit()
    return Tool(
      status: process.terminationStatus, text: try String(contentsOfFile: output, encoding: .utf8))
  }
}
