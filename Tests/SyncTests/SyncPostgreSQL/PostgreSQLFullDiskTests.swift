import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests a server with a full disk. The test mounts the disk, which needs root.
@Suite(
  .enabled(
    if: PostgreSQLServer.isInstalled && SmallDisk.canMount,
    "skipped: needs PostgreSQL, and the right to mount a tmpfs"), .timeLimit(.minutes(30)))
struct PostgreSQLFullDiskTests {
  @Test func `a full disk of the server is reported, and later everything arrives once`() async throws {
    let server = try PostgreSQLServer()
    // The disk belongs to the user `nobody` (65534), because the server does not run as root.
    let disk = try SmallDisk(size: "48m", user: 65_534)
    let name = "full_disk"
    let administration = try server.connection(to: "postgres")
    try administration.perform("CREATE TABLESPACE small LOCATION '\(disk.path)'")
    try administration.perform("CREATE DATABASE \(name) TABLESPACE small")
    let database = TestDatabase(server: server, name: name)
    let store = try database.store()
    try await store.open()
    try disk.fill()
    let pages = (0..<8).map { page in
      Samples.page((0..<5000).map { Samples.pulse(60, at: Double(page * 5000 + $0)) })
    }
    var error: ExternalStoreError?
    var carried = 0
    while carried < pages.count, error == nil {
      do {
        let rejections = try await store.upload(pages[carried])
        #expect(rejections == [])
        carried += 1
      } catch let failure as ExternalStoreError {
        error = failure
      }
    }
    #expect(error?.description.contains("the disk of PostgreSQL at") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("is full: free space there") == true)
    try disk.makeRoom()
    // The sync engine also opens the store again after an error.
    await store.close()
    try await store.open()
    for page in pages[carried...] { #expect(try await store.upload(page) == []) }
    #expect(
      try database.rows("SELECT count(*), count(DISTINCT uuid) FROM hrgate.sample") == [["40000", "40000"]])
    await store.close()
  }
}
