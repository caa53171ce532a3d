import Foundation
import Glibc
import Testing

@testable import TestSupport

/// A running `hrgate run --json` and its output so far.
final class RunningGateway {
  private let process = Process()
  private let output: String

  init(_ arguments: [String], _ environment: [String: String], output: String) throws {
    self.output = output
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    process.executableURL = Command.hrgate
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  var text: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

  /// Returns the complete lines; the last one may still be incomplete.
  func events() throws -> [[String: Any]] {
    try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  /// Kills it with SIGKILL.
  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func end() throws {
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
