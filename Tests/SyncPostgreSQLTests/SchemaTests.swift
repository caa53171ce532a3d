import Foundation
import HealthDataSync
import Testing

@testable import SyncPostgreSQL
@testable import TestSupport

@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct SchemaTests {
  private let database: TestDatabase

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  private func failure(_ body: () async throws -> Void) async -> ExternalStoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? ExternalStoreError
    }
  }

  @Test func `an empty database gets the schema, once, by however many gateways at once`() async throws {
    try await withThrowingTaskGroup { group in
      for index in 0..<6 {
        group.addTask { try await database.store("gateway \(index)").open() }
      }
      try await group.waitForAll()
    }
    #expect(try database.rows("SELECT version, applied_by FROM hrgate.schema_version") == [["1", "owner"]])
    #expect(try database.column("SELECT count(*) FROM hrgate.gateway") == ["6"])
  }

  @Test func `an older schema is brought up to date, and keeps its rows`() async throws {
    let old = try database.store()
    try await old.open()
    _ = try await old.carry(Samples.page(Samples.pulses(3)))
    let newer = Schema(steps: Schema.current.steps + ["CREATE TABLE hrgate.added (a integer)"])
    try await database.store(schema: newer).open()
    #expect(try database.column("SELECT version FROM hrgate.schema_version ORDER BY 1") == ["1", "2"])
    #expect(try database.column("SELECT count(*) FROM hrgate.samples") == ["3"])
    #expect(try database.column("SELECT count(*) FROM hrgate.added") == ["0"])
    // The older gateway says so, and touches nothing.
    let error = await failure { try await old.open() }
    #expect(error?.description.contains("update hrgate") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test func `a step that fails leaves nothing behind`() async throws {
    let broken = Schema(steps: Schema.current.steps + ["CREATE TABLE hrgate.added (a nothing)"])
    let store = try database.store(schema: broken)
    #expect(await failure { try await store.open() } != nil)
    #expect(try database.column("SELECT count(*) FROM pg_namespace WHERE nspname = 'hrgate'") == ["0"])
    try await database.store().open()
  }

  @Test(arguments: [
    "DROP VIEW hrgate.samples; ALTER TABLE hrgate.sample RENAME COLUMN value TO pulse",
    "DROP TABLE hrgate.tombstone", "ALTER TABLE hrgate.tombstone ADD COLUMN place text NOT NULL",
    "ALTER TABLE hrgate.tombstone ALTER COLUMN type TYPE varchar(9)",
  ])
  func `a schema that somebody changed is named`(change: String) async throws {
    let store = try database.store()
    try await store.open()
    try database.rows(change)
    let error = await failure { try await store.open() }
    #expect(error?.description.contains("is not as hrgate made it") == true)
    #expect(
      error?.description.contains(change.contains("value") ? "hrgate.sample" : "hrgate.tombstone") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test(arguments: [
    "ALTER TABLE hrgate.sample DROP COLUMN series CASCADE", "DROP TABLE hrgate.sample CASCADE",
    "DROP SCHEMA hrgate CASCADE", "ALTER TABLE hrgate.sample ADD COLUMN place text NOT NULL",
    "ALTER TABLE hrgate.sample DETACH PARTITION hrgate.sample_2026_11",
    "ALTER TABLE hrgate.sample DROP CONSTRAINT sample_pkey",
  ])
  func `a schema that somebody changes meanwhile fails the page, and sets no sample aside`(
    change: String
  ) async throws {
    let store = try database.store()
    try await store.open()
    // Known by now: its partition, its origin.
    _ = try await store.carry(Samples.page(Samples.pulses(1)))
    try database.rows("DELETE FROM hrgate.sample; \(change)")
    let error = await failure { _ = try await store.carry(Samples.page(Samples.pulses(2))) }
    #expect(error?.description.contains("is not as hrgate made it") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test func `a column that somebody added does not disturb`() async throws {
    let store = try database.store()
    try await store.open()
    try database.rows("ALTER TABLE hrgate.sample ADD COLUMN note text")
    try await store.open()
    let late = Samples.pulse(60, at: -90 * 86_400)
    #expect(try await store.carry(Samples.page([late] + Samples.pulses(2))) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample WHERE note IS NULL") == ["3"])
  }

  @Test func `something else in the schema's place is named`() async throws {
    try database.rows("CREATE SCHEMA hrgate; CREATE TABLE hrgate.sample (a integer)")
    let error = await failure { try await database.store().open() }
    #expect(error?.description.contains("ALTER SCHEMA hrgate RENAME") == true)
  }

  @Test func `who may not make the schema is told what to grant`() async throws {
    try database.rows("CREATE ROLE guest_\(database.name) LOGIN")
    let url = database.url.replacingOccurrences(of: "owner@", with: "guest_\(database.name)@")
    let error = await failure { try await database.store(url: url).open() }
    #expect(error?.description.contains("GRANT CREATE ON DATABASE \(database.name) TO") == true)
    #expect(error?.outlook == .lasting)
    try database.rows("GRANT CREATE ON DATABASE \(database.name) TO guest_\(database.name)")
    try await database.store(url: url).open()
  }
}
