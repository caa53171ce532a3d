import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import TestSupport

@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
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

  @Test func `concurrent gateways create the schema of an empty database once`() async throws {
    try await withThrowingTaskGroup { group in
      for index in 0..<6 {
        group.addTask { try await database.store("gateway \(index)").open() }
      }
      try await group.waitForAll()
    }
    #expect(
      try database.rows("SELECT version, applied_by FROM hrgate.schema_version")
        == (1...Schema.current.version).map { ["\($0)", "owner"] })
    #expect(try database.column("SELECT count(*) FROM hrgate.gateway") == ["6"])
  }

  @Test func `an older schema is migrated and keeps its rows`() async throws {
    let old = try database.store()
    try await old.open()
    _ = try await old.upload(Samples.page(Samples.pulses(3)))
    let newer = Schema(steps: Schema.current.steps + ["CREATE TABLE hrgate.added (a integer)"])
    try await database.store(schema: newer).open()
    #expect(
      try database.column("SELECT version FROM hrgate.schema_version ORDER BY 1")
        == (1...newer.version).map { "\($0)" })
    #expect(try database.column("SELECT count(*) FROM hrgate.samples") == ["3"])
    #expect(try database.column("SELECT count(*) FROM hrgate.added") == ["0"])
    // The store with the older schema reports the newer version, and changes nothing.
    let error = await failure { try await old.open() }
    #expect(error?.description.contains("update hrgate") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test func `a failed migration step is rolled back`() async throws {
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
  func `a changed schema is reported`(change: String) async throws {
    let store = try database.store()
    try await store.open()
    try database.rows(change)
    let error = await failure { try await store.open() }
    #expect(error?.description.contains("was changed") == true)
    #expect(
      error?.description.contains(change.contains("value") ? "hrgate.sample" : "hrgate.tombstone") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test(arguments: [
    "ALTER TABLE hrgate.sample DROP COLUMN series CASCADE", "DROP TABLE hrgate.sample CASCADE",
    "DROP SCHEMA hrgate CASCADE", "ALTER TABLE hrgate.sample ADD COLUMN place text NOT NULL",
  ])
  func `a schema that is changed during a session fails the page and refuses no sample`(
    change: String
  ) async throws {
    let store = try database.store()
    try await store.open()
    // After this page, the session has cached the partition and the row of `origin`.
    _ = try await store.upload(Samples.page(Samples.pulses(1)))
    try database.rows("DELETE FROM hrgate.sample; \(change)")
    let error = await failure { _ = try await store.upload(Samples.page(Samples.pulses(2))) }
    #expect(error?.description.contains("was changed") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test(arguments: [true, false]) func `a detached partition is reported, and the page waits for it`(
    isKnown: Bool
  ) async throws {
    let store = try database.store()
    try await store.open()
    let kept = Samples.pulses(2)
    _ = try await store.upload(Samples.page(kept))
    try database.rows("ALTER TABLE hrgate.sample DETACH PARTITION hrgate.sample_2026_11")
    if !isKnown { try await store.open() }
    let error = await failure { _ = try await store.upload(Samples.page(Samples.pulses(3))) }
    #expect(error?.description.contains("hrgate.sample_2026_11, which is detached") == true)
    #expect(error?.outlook == .lasting)
    // The statement that the message suggests makes the page succeed.
    let remedy = try #require(error?.description.firstMatch(of: #/\((ALTER TABLE .*)\), or/#)?.1)
    try database.rows(String(remedy))
    try await store.open()
    #expect(try await store.upload(Samples.page(kept)) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["2"])
    try database.rows(
      """
      ALTER TABLE hrgate.sample DETACH PARTITION hrgate.sample_2026_11;
      ALTER TABLE hrgate.sample_2026_11 RENAME TO old
      """)
    #expect(try await store.upload(Samples.page(Samples.pulses(3))) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["3"])
  }

  @Test func `a partition without its primary key is reported`() async throws {
    let store = try database.store()
    try await store.open()
    _ = try await store.upload(Samples.page(Samples.pulses(1)))
    try database.rows("ALTER TABLE hrgate.sample_2026_11 DROP CONSTRAINT sample_2026_11_pkey")
    let error = await failure { try await store.open() }
    #expect(error?.description.contains("the key (uuid, person) of the table hrgate.sample_2026_11") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test(arguments: [1, 600]) func `a partition that is dropped during a session is created again`(
    count: Int
  ) async throws {
    let store = try database.store()
    try await store.open()
    _ = try await store.upload(Samples.page(Samples.pulses(count)))
    try database.rows("DROP TABLE hrgate.sample_2026_11")
    #expect(try await store.upload(Samples.page(Samples.pulses(count))) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample_2026_11") == ["\(count)"])
  }

  @Test func `tables of a member belong to the owner role, for all members`() async throws {
    let (keeper, one, two) = ("keeper_\(database.name)", "one_\(database.name)", "two_\(database.name)")
    try database.rows(
      """
      CREATE ROLE \(keeper); CREATE ROLE \(one) LOGIN NOINHERIT; CREATE ROLE \(two) LOGIN NOINHERIT;
      GRANT \(keeper) TO \(one), \(two); CREATE SCHEMA hrgate AUTHORIZATION \(keeper)
      """)
    for (number, role) in [one, two].enumerated() {
      let url = database.url.replacingOccurrences(of: "owner@", with: "\(role)@")
      let store = try database.store(role, url: url)
      try await store.open()
      // Sends a sample in the month that the first gateway has created, and one in a month without a
      // partition.
      let pulses = [0, Double(number + 1) * 31 * 86_400].map { Samples.pulse(60, at: $0) }
      #expect(try await store.upload(Samples.page(pulses)) == [])
    }
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["4"])
    #expect(
      try database.column(
        "SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relnamespace = 'hrgate'::regnamespace"
      ) == [keeper])
  }

  @Test func `a member that waits during the schema's creation then uses the owner's role`()
    async throws
  {
    let (keeper, member) = ("keeper_\(database.name)", "member_\(database.name)")
    try database.rows(
      "CREATE ROLE \(keeper); CREATE ROLE \(member) LOGIN NOINHERIT; GRANT \(keeper) TO \(member)")
    let first = try database.connection()
    try first.perform("BEGIN; SELECT pg_advisory_xact_lock(\(SchemaOpening.lock))")
    let url = database.url.replacingOccurrences(of: "owner@", with: "\(member)@")
    let store = try database.store(url: url)
    let opening = Task { try await store.open() }
    #expect(
      try await eventually {
        try database.column(
          """
          SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted
          """) == ["1"]
      })
    try first.perform(
      """
      CREATE SCHEMA hrgate AUTHORIZATION \(keeper);
      SET LOCAL ROLE \(keeper);
      CREATE TABLE hrgate.schema_version (
        version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now(),
        applied_by text NOT NULL DEFAULT current_user)
      """)
    for (index, step) in Schema.current.steps.enumerated() {
      try first.perform(step)
      try first.perform("INSERT INTO hrgate.schema_version (version) VALUES (\(index + 1))")
    }
    try first.perform("COMMIT")
    try await opening.value
    #expect(try await store.upload(Samples.page(Samples.pulses(2))) == [])
    #expect(
      try database.column(
        "SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relnamespace = 'hrgate'::regnamespace"
      ) == [keeper])
  }

  @Test func `an additional column does no harm`() async throws {
    let store = try database.store()
    try await store.open()
    try database.rows("ALTER TABLE hrgate.sample ADD COLUMN note text")
    try await store.open()
    let late = Samples.pulse(60, at: -90 * 86_400)
    #expect(try await store.upload(Samples.page([late] + Samples.pulses(2))) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample WHERE note IS NULL") == ["3"])
  }

  @Test func `another schema with the same name is reported`() async throws {
    try database.rows("CREATE SCHEMA hrgate; CREATE TABLE hrgate.sample (a integer)")
    let error = await failure { try await database.store().open() }
    #expect(error?.description.contains("ALTER SCHEMA hrgate RENAME") == true)
  }

  @Test func `without the right to create the schema the error names the grant`() async throws {
    try database.rows("CREATE ROLE guest_\(database.name) LOGIN")
    let url = database.url.replacingOccurrences(of: "owner@", with: "guest_\(database.name)@")
    let error = await failure { try await database.store(url: url).open() }
    #expect(error?.description.contains("GRANT CREATE ON DATABASE \(database.name) TO") == true)
    #expect(error?.outlook == .lasting)
    try database.rows("GRANT CREATE ON DATABASE \(database.name) TO guest_\(database.name)")
    try await database.store(url: url).open()
  }
}
