import Foundation
import Testing

@testable import TestSupport

/// A running `hrgate page` that has printed its address.
final class PrintedPage {
  let process = Process()
  /// The printed address, which can be opened once.
  let address: String

  /// - Parameters:
  ///   - store: `nil` for the default store.
  ///   - arguments: Arguments in addition to the store and --no-open.
  init(
    _ store: String?, _ environment: [String: String], _ folder: TemporaryFolder, _ arguments: [String] = []
  ) async throws {
    let output = folder.path("address")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    process.executableURL = Command.hrgate
    process.arguments = ["page", "--no-open"] + (store.map { ["--store", $0] } ?? []) + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    func text() throws -> String { try String(contentsOfFile: output, encoding: .utf8) }
    _ = try await eventually { try text().hasSuffix("\n") }
    address = try text().trimmingCharacters(in: .newlines)
  }

  func interrupt() -> Int32 {
    process.interrupt()
    process.waitUntilExit()
    return process.terminationStatus
  }

  deinit { if process.isRunning { process.terminate() } }
}

/// A running page, and a client that has opened a session with the printed address.
final class RunningPage {
  private let page: PrintedPage
  let client: PageClient

  var process: Process { page.process }

  init(
    _ store: String?, _ environment: [String: String], _ folder: TemporaryFolder, _ arguments: [String] = []
  ) async throws {
    page = try await PrintedPage(store, environment, folder, arguments)
    let address = try #require(
      page.address.wholeMatch(of: #/http:\/\/127\.0\.0\.1:(?<port>\d+)\/open\?code=(?<code>[0-9a-f]{64})/#))
    var client = PageClient(port: try #require(Int(address.output.port)))
    let answer = try await client.get("/open?code=\(address.output.code)")
    client.cookie = answer.fields["set-cookie"].map { String($0.prefix { $0 != ";" }) }
    client.changeKey = try await client.get("/api/session").object()["csrf"] as? String
    self.client = client
  }

  func interrupt() -> Int32 { page.interrupt() }
}
