import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Tests changes to the schema by an administrator, and connection poolers in front of the server.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct HostileDatabaseTests {
  private let server: PostgreSQLServer
  private let database: TestDatabase

  init() throws {
    server = try PostgreSQLServer.shared.get()
    database = try server.makeDatabase()
  }

  private func failure(_ body: () async throws -> Void) async -> ExternalStoreError? {
    do {
      try await body()
      return nil
    } catch { return error as? ExternalStoreError }
  }

  // MARK: - Views

  @Test(arguments: ["samples", "beats", "quantities"])
  func `a dropped view is created again`(view: String) async throws {
    let store = try database.store()
    try await store.open()
    _ = try await store.upload(Samples.page(Samples.pulses(2)))
    let columns =
      "SELECT attname FROM pg_attribute WHERE attrelid = 'hrgate.\(view)'::regclass ORDER BY attnum"
    let before = try database.column(columns)
    try database.rows("DROP VIEW hrgate.\(view)")
    try await store.open()
    #expect(try database.column(columns) == before)
    #expect(try database.column("SELECT count(*) FROM hrgate.samples") == ["2"])
  }

  @Test func `a changed view is kept`() async throws {
    let store = try database.store()
    try await store.open()
    try database.rows("DROP VIEW hrgate.beats; CREATE VIEW hrgate.beats AS SELECT 1 AS mine")
    try await store.open()
    #expect(try database.column("SELECT mine FROM hrgate.beats") == ["1"])
  }

  // MARK: - Triggers

  /// SQL that creates a trigger, which drops rows with a value below 70 without an error.
  private static let swallowing = """
    CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.value < 70 THEN RETURN NULL; END IF; RETURN NEW; END $$;
    CREATE TRIGGER swallow BEFORE INSERT ON hrgate.sample FOR EACH ROW EXECUTE FUNCTION swallow()
    """

  @Test(arguments: [4, 700]) func `rows that a trigger drops are refused, and the others are stored`(
    count: Int
  ) async throws {
    let store = try database.store()
    try await store.open()
    try database.rows(Self.swallowing)
    let records = Samples.pulses(count) + [Samples.pulse(90, at: 5000)]
    let small = records.filter { ($0.sample as? HKQuantitySample)?.quantity.value ?? 0 < 70 }
    for _ in 0..<2 {
      let rejections = try await store.upload(Samples.page(records))
      #expect(Set(rejections.map(\.uuid)) == Set(small.map(\.uuid)))
      #expect(rejections.allSatisfy { $0.reason.contains("trigger") && !$0.isPermanent })
    }
    #expect(
      try database.column("SELECT count(*) FROM hrgate.sample") == ["\(records.count - small.count)"])
    try database.rows("DROP TRIGGER swallow ON hrgate.sample")
    #expect(try await store.upload(Samples.page(records)) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["\(records.count)"])
  }

  @Test func `a trigger that changes nothing does no harm`() async throws {
    let store = try database.store()
    try await store.open()
    try database.rows(
      """
      CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
      CREATE TRIGGER look BEFORE INSERT ON hrgate.sample FOR EACH ROW EXECUTE FUNCTION look()
      """)
    for count in [3, 700] { #expect(try await store.upload(Samples.page(Samples.pulses(count))) == []) }
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["703"])
  }

  @Test func `rows that exist, are in another month or deleted do not count as dropped`() async throws {
    let (store, other) = (try database.store(), try database.store("cellar"))
    try await store.open()
    try await other.open()
    let (known, deleted) = (Samples.pulses(3), Samples.pulse(61, at: 50))
    let (border, moved) = (UUID(), UUID())
    // The sample `border` is at the end of November, and `moved` is in December.
    let late = 11.5 * 86_400
    _ = try await store.upload(
      Samples.page(
        known + [
          try Samples.pulse(border, 60, at: late + 86_400 / 2), try Samples.pulse(moved, 60, at: late * 3),
        ]))
    _ = try await store.upload(Samples.page(deleted: [HKDeletedObject(uuid: deleted.uuid, metadata: nil)]))
    let again = Samples.page(
      known + [
        deleted, try Samples.pulse(border, 60, at: late + 86_400), known[0],
        try Samples.pulse(moved, 60, at: 0, supersedes: true), Samples.pulse(99, at: 60),
      ])
    #expect(try await other.upload(again) == [])
  }

  @Test func `a sample whose deletion a trigger prevents is refused`() async throws {
    let store = try database.store()
    try await store.open()
    let records = Samples.pulses(2)
    _ = try await store.upload(Samples.page(records))
    try database.rows(
      """
      CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF OLD.value = 60 THEN RETURN NULL; END IF; RETURN OLD; END $$;
      CREATE TRIGGER keep BEFORE DELETE ON hrgate.sample FOR EACH ROW EXECUTE FUNCTION keep()
      """)
    let deletions = records.map { HKDeletedObject(uuid: $0.uuid, metadata: nil) }
    let rejections = try await store.upload(Samples.page(deleted: deletions))
    #expect(rejections.map(\.uuid) == [records[0].uuid])
    #expect(rejections.first?.reason.contains("deleted") == true)
  }

  // MARK: - Rights and encodings

  @Test func `row-level security is reported with a remedy`() async throws {
    let store = try database.store()
    try await store.open()
    let role = "guest_\(database.name)"
    try database.rows(
      """
      CREATE ROLE \(role) LOGIN; GRANT ALL ON DATABASE \(database.name) TO \(role);
      GRANT ALL ON SCHEMA hrgate TO \(role); GRANT ALL ON ALL TABLES IN SCHEMA hrgate TO \(role)
      """)
    let url = database.url.replacingOccurrences(of: "owner@", with: "\(role)@")
    let guest = try database.store(url: url)
    try await guest.open()
    try database.rows("ALTER TABLE hrgate.tombstone ENABLE ROW LEVEL SECURITY")
    let error = await failure { try await guest.open() }
    #expect(error?.description.contains("row-level security of the table hrgate.tombstone") == true)
    #expect(error?.description.contains("ALTER ROLE \(role) BYPASSRLS") == true)
    #expect(error?.description.contains("GRANT CREATE") == false)
    #expect(error?.outlook == .lasting)
    // Row-level security does not apply to the owner of the tables, so `store` can be opened.
    try await store.open()
    try database.rows("ALTER ROLE \(role) BYPASSRLS")
    try await guest.open()
  }

  @Test func `row-level security that is enabled during a session is reported at the next page`() async throws
  {
    let store = try database.store()
    try await store.open()
    // Row-level security does not apply to the owner, who is a superuser here. The test needs another role.
    let role = "member_\(database.name)"
    try database.rows(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT ALL ON SCHEMA hrgate TO \(role); GRANT ALL ON ALL TABLES IN SCHEMA hrgate TO \(role)
      """)
    let member = try database.store(url: database.url.replacingOccurrences(of: "owner@", with: "\(role)@"))
    _ = try await store.upload(Samples.page(Samples.pulses(1)))
    for count in [2, 600] {
      try database.rows("ALTER TABLE hrgate.sample DISABLE ROW LEVEL SECURITY")
      try await member.open()
      try database.rows("ALTER TABLE hrgate.sample ENABLE ROW LEVEL SECURITY")
      let error = await failure { _ = try await member.upload(Samples.page(Samples.pulses(count))) }
      #expect(error?.description.contains("row-level security of the table hrgate.sample") == true)
    }
  }

  @Test func `a database in LATIN1 is reported with its limits`() async throws {
    let name = "latin_\(database.name)"
    try server.connection(to: "postgres").perform(
      "CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0")
    let latin = TestDatabase(server: server, name: name)
    let store = try latin.store()
    try await store.open()
    let strange = [
      Samples.pulse(61, metadata: ["note": "心"]),
      Samples.pulse(62, metadata: [HKMetadataKeySyncIdentifier: "心", HKMetadataKeySyncVersion: 1]),
    ]
    let rejections = try await store.upload(Samples.page(Samples.pulses(2) + strange))
    #expect(Set(rejections.map(\.uuid)) == Set(strange.map(\.uuid)))
    for rejection in rejections {
      #expect(rejection.reason.contains("LATIN1") && rejection.reason.contains("ENCODING 'UTF8'"))
    }
    for store in [try latin.store(person: "心"), try latin.store("心", id: "1")] {
      let error = await failure { try await store.open() }
      #expect(error?.description.contains("lacks a character of the person's or gateway's name") == true)
      #expect(error?.outlook == .lasting)
    }
  }

  // MARK: - Poolers

  @Test(
    .enabled(if: PgBouncer.isInstalled, "skipped: pgbouncer is missing"),
    arguments: ["transaction", "statement"], [1, 20])
  func `a pooler without session mode is rejected`(mode: String, size: Int)
    async throws
  {
    let pooler = try PgBouncer(before: server, mode: mode, poolSize: size)
    let store = try database.store(url: pooler.url(database.name))
    let error = await failure { try await store.open() }
    #expect(
      error?.description.contains("PgBouncer in transaction mode") == true, "\(String(describing: error))")
    #expect(error?.description.contains("pool_mode = session") == true)
    #expect(error?.description.contains("RENAME") == false)
    #expect(error?.outlook == .lasting)
    #expect(try database.column("SELECT count(*) FROM pg_namespace WHERE nspname = 'hrgate'") == ["0"])
  }

  @Test(
    .enabled(if: PgBouncer.isInstalled, "skipped: pgbouncer is missing"), arguments: [1, 20], [false, true])
  func `a session pooler works`(size: Int, isRoundRobin: Bool) async throws {
    let pooler = try PgBouncer(before: server, mode: "session", poolSize: size, isRoundRobin: isRoundRobin)
    let store = try database.store(url: pooler.url(database.name))
    for _ in 0..<2 {
      try await store.open()
      #expect(try await store.upload(Samples.page(Samples.pulses(600))) == [])
      await store.close()
    }
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["1200"])
  }

  @Test(.enabled(if: PgBouncer.isInstalled, "skipped: pgbouncer is missing"))
  func `a transaction pooler is detected among other clients`() async throws {
    let pooler = try PgBouncer(before: server, mode: "transaction", poolSize: 8, isRoundRobin: true)
    // Transactions of other clients make the pooler open several sessions of the server.
    let others = try (0..<6).map { _ in
      try Connection(
        [
          "host": "127.0.0.1", "port": "\(pooler.port)", "user": "owner", "dbname": database.name,
          "sslmode": "disable",
        ],
        limits: Limits(), cancellation: Cancellation())
    }
    for other in others { try other.perform("BEGIN") }
    for other in others { try other.perform("ROLLBACK") }
    let store = try database.store(url: pooler.url(database.name))
    let error = await failure { try await store.open() }
    #expect(
      error?.description.contains("PgBouncer in transaction mode") == true, "\(String(describing: error))")
  }

  @Test func `an error about an existing object does not ask to rename the schema`() throws {
    let address = try PostgreSQLAddress(parsing: database.url)
    for state in ["42P07", "42P06", "42710"] {
      let error = ExternalStoreError(.server(ServerError(state: state)), at: address)
      #expect(!error.description.contains("RENAME"))
    }
  }
}
