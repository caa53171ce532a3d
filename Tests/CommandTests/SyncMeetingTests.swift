import Foundation
import Testing

@testable import TestSupport

/// Tests two gateways that sync to one database: common samples are stored once, others with their gateway.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30))) struct SyncMeetingTests {
  private static let gateways = ["attic", "cellar"]
  private let folder: TemporaryFolder
  private let server: PostgreSQLServer

  init() throws {
    folder = try TemporaryFolder()
    server = try PostgreSQLServer()
    _ = try server.psql("postgres", "CREATE DATABASE health")
  }

  private func path(_ gateway: String) -> String { folder.path("\(gateway).sqlite") }

  private func sync(_ arguments: String..., of gateway: String) throws -> CommandResult {
    try Command.hrgate(["sync"] + arguments + ["--store", path(gateway)])
  }

  /// Runs the sync of both gateways at the same time.
  private func upload() async throws {
    let processes = try Self.gateways.map { gateway in
      let process = Process()
      process.executableURL = Command.hrgate
      process.arguments = ["sync", "run", "--once", "--store", path(gateway)]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }

  private func rows(_ columns: String) throws -> [[String]] {
    try server.psql("health", "SELECT \(columns) FROM hrgate.samples").map {
      $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func identifiers(_ gateway: String) throws -> Set<String> {
    Set(try Samples(store: path(gateway)).identifiers.map { $0.lowercased() })
  }

  @Test func `common samples of two gateways are stored once, the others separately`()
    async throws
  {
    let whole = try #require(FileManager.default.contents(atPath: Recordings.path("demo.btsnoop")))
    // The other gateway received the same strap for a part of the time, so its last heartbeat series differs.
    let part = try folder.file("part.btsnoop", Array(whole.prefix(whole.count / 2)))
    for (gateway, logs) in [
      ("attic", [Recordings.path("demo.btsnoop"), Recordings.path("bonded-60s.btsnoop")]),
      ("cellar", [part, Recordings.path("open-60s.btsnoop")]),
    ] {
      for log in logs { _ = try Command.hrgate("replay", log, "--store", path(gateway)) }
      let added = try sync(
        "add", "lab", "postgresql://owner@/health?host=\(server.folder.path)&port=\(server.port)", "--as",
        "ada", "--gateway", gateway, of: gateway)
      try #require(added.status == 0, "\(added.errors)")
    }
    try await upload()

    let (attic, cellar) = (try identifiers("attic"), try identifiers("cellar"))
    let (common, strange) = (attic.intersection(cellar), cellar.subtracting(attic))
    let rows = try rows("uuid, source, gateway")
    #expect(rows.count == attic.union(cellar).count)
    #expect(Set(rows.map { $0[0] }) == attic.union(cellar))
    let shared = Set(rows.filter { common.contains($0[0]) }.map { $0[1] })
    #expect(common.count > 100 && shared.count == 1)
    // The second gateway has samples of the strap that both received and of one that only it received.
    let ofCellar = rows.filter { strange.contains($0[0]) }
    #expect(ofCellar.contains { shared.contains($0[1]) } && Set(ofCellar.map { $0[1] }).count == 2)
    #expect(ofCellar.allSatisfy { $0[2] == "cellar" })
    #expect(rows.filter { !cellar.contains($0[0]) }.allSatisfy { $0[2] == "attic" })
    #expect(Set(rows.map { $0[1] }).count == 3)

    // A deleted sample stays deleted, even if the other gateway sends everything again.
    let strap = try #require(shared.first)
    let deleted = try Command.hrgate(
      "delete", "--type", "heartRate", "--source", strap, "--yes", "--store", path("attic"))
    try #require(deleted.status == 0, "\(deleted.errors)")
    let gone = attic.subtracting(try identifiers("attic"))
    #expect(gone.intersection(cellar).count > 100)
    #expect(try sync("reset", "lab", of: "cellar").status == 0)
    try await upload()
    #expect(try Set(self.rows("uuid").map { $0[0] }) == attic.union(cellar).subtracting(gone))
  }
}
