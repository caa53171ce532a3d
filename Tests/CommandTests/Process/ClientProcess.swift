import Foundation

/// A running `store-client`. Its output goes to a file.
final class ClientProcess {
  private let process = Process()
  private let input = Pipe()
  private let output: String

  init(_ arguments: [String], output: String) throws {
    self.output = output
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = tests.deletingLastPathComponent().appending(path: "store-client")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
  }

  /// Returns the complete lines of output so far.
  func lines() throws -> [String] {
    let text = try String(contentsOfFile: output, encoding: .utf8)
    let whole = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
    return whole.split(separator: "\n").map(String.init)
  }

  var isRunning: Bool { process.isRunning }

  func numbers() throws -> [Int] { try lines().compactMap { Int($0) } }

  /// Closes the input of the process and waits until it ends.
  func end() throws -> Int32 {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Kills the process without any cleanup, as in a power failure.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// Runs `body` with a new directory and deletes it afterwards.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())").path
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  try await body(directory)
}
