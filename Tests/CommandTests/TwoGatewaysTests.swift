import Foundation
import Testing

@testable import TestSupport

/// Tests two gateways with the same machine name that sync to one database. They have one strap in common and
/// others of their own.
@Suite(.timeLimit(.minutes(30)), .enabled(if: PostgreSQLServer.isInstalled)) struct TwoGatewaysTests {
  @Test func `what both have is there once, and what one has under the one`() throws {
    let folder = try TemporaryFolder()
    let server = try PostgreSQLServer.shared.get()
    let database = "two_\(UUID().uuidString.prefix(8).lowercased())"
    _ = try server.psql("postgres", "CREATE DATABASE \(database)")
    let url = "postgresql://owner@/\(database)?host=\(server.folder.path)&port=\(server.port)"
    // The sessions have one, two and three straps. Both gateways replay the first session; the second session
    // is only in one gateway's store, and the third only in the other's.
    let sessions = try [(1, "10"), (2, "12"), (3, "14")].map { straps, hour in
      let log = folder.path("\(straps).btsnoop")
      let made = try Command.hrgate(
        "simulate", "--straps", "\(straps)", "--duration", "1m", "--start", "2026-07-01T\(hour):00:00Z",
        "-o", log)
      #expect(made.status == 0, "\(made.errors)")
      return log
    }
    var stores: [Set<String>] = []
    for gateway in [1, 2] {
      let path = folder.path("\(gateway).sqlite")
      let replay = try Command.hrgate("replay", sessions[0], sessions[gateway], "--store", path)
      #expect(replay.status == 0, "\(replay.errors)")
      // Both gateways sync under the name of this machine.
      #expect(try Command.hrgate("sync", "add", "lab", url, "--as", "Ada", "--store", path).status == 0)
      let run = try Command.hrgate("sync", "run", "--once", "--store", path)
      #expect(run.status == 0, "\(run.errors)")
      stores.append(Set(try Samples(store: path).identifiers))
    }
    let (both, all) = (stores[0].intersection(stores[1]), stores[0].union(stores[1]))
    #expect(!both.isEmpty && both != stores[0] && both != stores[1])
    let there = try server.psql(database, "SELECT uuid FROM hrgate.samples").map { $0.uppercased() }
    #expect(there.count == all.count)
    #expect(Set(there) == all)
    let counts = try server.psql(
      database,
      "SELECT count(*), count(DISTINCT gateway) FROM hrgate.samples GROUP BY gateway_id ORDER BY min(\"start\")"
    )
    #expect(counts == ["\(stores[0].count)|1", "\(stores[1].subtracting(both).count)|1"])
    #expect(try server.psql(database, "SELECT count(DISTINCT gateway) FROM hrgate.samples") == ["1"])
    let sources = try server.psql(database, "SELECT DISTINCT source FROM hrgate.samples ORDER BY source")
    #expect(
      sources
        == ["02:A5:50:00:00:02", "C2:A5:50:00:00:01", "C2:A5:50:00:00:03"].map { "org.hrgate.monitor.\($0)" })
  }
}
