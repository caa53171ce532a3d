import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Runs the commands of docs/sync.md for a new PostgreSQL, on a server that has only its administrator.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30))) struct SyncReadmeTests {
  private static let user = "new user"

  /// Returns the lines of code below the heading; each is a command.
  private static func commands() throws -> [Substring] {
    let file = URL(filePath: #filePath).appending(path: "../../../docs/sync.md").standardizedFileURL
    let text = try String(contentsOf: file, encoding: .utf8)
    let part = try #require(text.firstMatch(of: #/## A new PostgreSQL\n(?<part>[\s\S]*?)\n## /#)).part
    return part.matches(of: #/```sh\n(?<code>[^`]+)```/#).flatMap { $0.code.split(separator: "\n") }
  }

  @Test func `the commands of the page lead to rows`() async throws {
    let commands = try Self.commands()
    try #require(commands.count == 4)
    #expect(commands[0] == "sudo apt install postgresql")
    let server = try PostgreSQLServer()
    let statements = commands[1].matches(of: #/-c "(?<sql>(?:[^"\\]|\\.)*)"/#).map {
      $0.sql.replacing("\\\"", with: "\"").replacing("$USER", with: Self.user)
    }
    #expect(commands[1].hasPrefix("sudo -u postgres psql ") && statements.count == 2)
    for statement in statements { _ = try server.psql("postgres", String(statement)) }
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let rate = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 61)
    try await HKHealthStore(storeAt: path).save(
      HKQuantitySample(type: HKQuantityType(.heartRate), quantity: rate, start: .now, end: .now))
    let words = commands[2].split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    #expect(words.prefix(5) == ["hrgate", "sync", "add", "lab", "postgresql:///health"])
    // The server of this test and the user to connect as.
    let login = ["PGHOST": server.folder.path, "PGPORT": "\(server.port)", "PGUSER": Self.user]
    let added = try Command.hrgate(
      "sync", ["add", words[3], words[4], "--store", path], environment: login)
    #expect(added.status == 0, "\(added.errors)")
    let gateway = Process()
    gateway.executableURL = Command.hrgate
    gateway.arguments = ["run", "--wait", "--json", "--store", path]
    gateway.environment = ProcessInfo.processInfo.environment
      .merging(Command.withoutBus(folder)) { $1 }.merging(login) { $1 }
    gateway.standardOutput = FileHandle.nullDevice
    gateway.standardError = FileHandle.nullDevice
    try gateway.run()
    defer { if gateway.isRunning { gateway.terminate() } }
    let look = try #require(commands[3].firstMatch(of: #/^psql health -c '(?<sql>[^']+)'$/#)).sql
    #expect(
      await eventually {
        let rows = try? server.psql("health", String(look))
        return rows?.count == 1 && rows?[0].hasPrefix("HKQuantityTypeIdentifierHeartRate|") == true
          && rows?[0].hasSuffix("|61|count/min") == true
      })
  }
}
