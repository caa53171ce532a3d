import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Tests databases that lost data.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct PostgreSQLMarkerTests {
  private let database: TestDatabase
  private let id = UUID()

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  private func expected(_ sequence: Int64?) -> DestinationMarker {
    DestinationMarker(id: id, sequence: sequence)
  }

  private func page(_ number: Int64, _ added: [ExternalRecord], deleted: [HKDeletedObject] = []) -> ChangePage
  {
    ChangePage(
      type: HKQuantityType(.heartRate), deleted: deleted, added: added, marker: expected(number))
  }

  private func failure(_ body: () async throws -> Void) async -> ExternalStoreError? {
    do {
      try await body()
      return nil
    } catch { return error as? ExternalStoreError }
  }

  /// Returns a store that has sent these pages.
  private func sent(_ pages: ClosedRange<Int64>) async throws -> PostgreSQLStore {
    let store = try database.store()
    let before = pages.lowerBound == 1 ? nil : pages.lowerBound - 1
    #expect(try await store.open(expecting: expected(before)) == pages.lowerBound - 1)
    for number in pages {
      #expect(try await store.upload(page(number, [Samples.pulse(60, at: Double(number))])) == [])
    }
    return store
  }

  private func reopened(_ sequence: Int64) async throws -> Int64? {
    try await database.store().open(expecting: expected(sequence))
  }

  @Test func `a dropped schema is not created again`() async throws {
    try await sent(1...2).close()
    try database.rows("DROP SCHEMA hrgate CASCADE")
    let error = await failure { _ = try await reopened(2) }
    #expect(error?.description.contains("the destination lost data") == true)
    #expect(error?.description.contains("run sync reset") == true)
    #expect(error?.outlook == .lasting)
    #expect(try database.column("SELECT count(*) FROM pg_namespace WHERE nspname = 'hrgate'") == ["0"])
    // A reset creates a new marker, which the database is not expected to have. The store can be opened.
    #expect(try await database.store().open(expecting: DestinationMarker()) == 0)
  }

  @Test func `a schema that another gateway created again is still data loss`() async throws {
    try await sent(1...2).close()
    try database.rows("DROP SCHEMA hrgate CASCADE")
    try await database.store("cellar").open()
    #expect(await failure { _ = try await reopened(2) }?.description.contains("lost data") == true)
    #expect(try database.column("SELECT name FROM hrgate.gateway") == ["cellar"])
  }

  @Test func `a restored database is behind`() async throws {
    let server = database.server
    try await sent(1...2).close()
    let postgres = try server.connection(to: "postgres")
    try postgres.perform("CREATE DATABASE \(database.name)_backup TEMPLATE \(database.name)")
    try await sent(3...4).close()
    try postgres.perform("DROP DATABASE \(database.name) WITH (FORCE)")
    try postgres.perform("ALTER DATABASE \(database.name)_backup RENAME TO \(database.name)")
    #expect(try await reopened(4) == 2)
  }

  @Test func `a database that is restored during a session is detected at the next page`() async throws {
    let store = try await sent(1...3)
    try database.rows("UPDATE hrgate.marker SET sequence = 1")
    let next = page(4, [Samples.pulse(61)])
    #expect(await failure { _ = try await store.upload(next) }?.description.contains("lost data") == true)
    try database.rows("DELETE FROM hrgate.marker")
    _ = try await store.open(expecting: DestinationMarker())
    #expect(await failure { _ = try await store.upload(next) }?.description.contains("lost data") == true)
    #expect(try database.column("SELECT count(*) FROM hrgate.sample WHERE value = 61") == ["0"])
  }

  @Test func `the marker advances in the transaction of its page`() async throws {
    let store = try await sent(1...1)
    let blocker = try database.connection()
    try blocker.perform("BEGIN; LOCK TABLE hrgate.sample IN ACCESS EXCLUSIVE MODE")
    let transfer = Task { try await store.upload(page(2, [Samples.pulse(61)])) }
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND wait_event_type = 'Lock'"
    #expect(try await eventually { try database.column(waiting) == ["1"] })
    transfer.cancel()
    _ = await transfer.result
    try blocker.perform("ROLLBACK")
    #expect(try await reopened(1) == 1)
    // Pages with only deletions, or with only refused records, also advance the number of the marker.
    #expect(try await store.open(expecting: expected(1)) == 1)
    _ = try await store.upload(page(2, [], deleted: [HKDeletedObject(uuid: UUID(), metadata: nil)]))
    _ = try await store.upload(page(3, [Samples.pulse(60, metadata: ["a\u{0}": 1])]))
    #expect(try database.column("SELECT sequence FROM hrgate.marker") == ["3"])
  }

  @Test func `a greater number from a copy of the store is not data loss`() async throws {
    let first = try await sent(1...2)
    let second = try database.store("copy")
    #expect(try await second.open(expecting: expected(2)) == 2)
    _ = try await second.upload(page(3, [Samples.pulse(62)]))
    #expect(try await first.upload(page(3, [Samples.pulse(63)])) == [])
    #expect(try await reopened(3) == 3)
  }

  @Test func `the marker table is added to a schema of the previous version`() async throws {
    let before = Schema(steps: Array(Schema.current.steps.dropLast()))
    let old = try database.connection()
    try old.perform(
      "CREATE SCHEMA hrgate; CREATE TABLE hrgate.schema_version (version integer PRIMARY KEY, "
        + "applied_at timestamptz NOT NULL DEFAULT now(), applied_by text NOT NULL DEFAULT current_user)")
    for (index, step) in before.steps.enumerated() {
      try old.perform(step)
      try old.perform("INSERT INTO hrgate.schema_version (version) VALUES (\(index + 1))")
    }
    #expect(try await database.store().open(expecting: expected(nil)) == 0)
    #expect(try database.column("SELECT sequence FROM hrgate.marker") == ["0"])
  }
}
