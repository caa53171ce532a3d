import Foundation
import Glibc
import Testing

@testable import TestSupport

/// A destination that accepts the connection and never responds must not delay the gateway or another
/// destination.
@Suite(
  .enabled(if: ScriptedDaemon.isInstalled && PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct SyncSlowDestinationTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
  }

  private func status(_ name: String) throws -> [String: Any] {
    let objects = try Command.hrgate("sync", "status", "--json", "--store", path).objects()
    return try #require(objects.first { $0["name"] as? String == name })
  }

  @Test func `a slow destination delays neither measurements nor other destinations`() async throws {
    let silent = try LoopbackSocket.listening()
    defer { close(silent) }
    let daemon = try ScriptedDaemon()
    try await ScriptedDaemon.enrolStrap(inStoreAt: path)
    let archive = folder.path("archive")
    try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
    for (name, url) in [
      ("silent", "postgresql://a@127.0.0.1:\(LoopbackSocket.port(of: silent))/b?sslmode=disable"),
      ("files", "file://\(archive)?format=ndjson"),
    ] {
      let added = try Command.hrgate("sync", "add", name, url, "--no-check", "--store", path)
      try #require(added.status == 0, "\(added.errors)")
    }
    let gateway = try RunningGateway(
      ["run", "--json", "--commit-interval", "0.05", "--bus", "none", "--store", path], daemon.environment,
      output: folder.path("run.jsonl"))
    #expect(await eventually { gateway.text.contains("following") })
    let rates = Array(UInt8(60)...99)
    for part in [rates.prefix(20), rates.suffix(20)] {
      try daemon.measure(Array(part))
      #expect(
        try await eventually {
          try Set(part.map(Double.init)).isSubset(of: Samples(store: path).heartRateValues)
            && status("files")["sent"] as? Int == Samples(store: path).objects.count
        }, "\(gateway.text)")
    }
    let silence = try status("silent")
    #expect(silence["sent"] as? Int == 0 && silence["lastSuccess"] is NSNull)
    try gateway.end()
  }
}
