import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Tests that gateways are identified by their IDs and not by their names.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct GatewayTests {
  private let database: TestDatabase

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  private func opened(
    _ id: String?, name: String = "raspberrypi", schema: Schema = .current
  ) async throws -> PostgreSQLStore {
    let store = try database.store(name, id: id, schema: schema)
    try await store.open()
    return store
  }

  @Test func `two gateways with one name are different`() async throws {
    let (one, other) = (try await opened("1a"), try await opened("2b"))
    let (both, first, second) = (Samples.pulse(60), Samples.pulse(61), Samples.pulse(62))
    _ = try await one.upload(Samples.page([both, first]))
    _ = try await other.upload(Samples.page([both, second]))
    #expect(
      try database.rows("SELECT value, gateway, gateway_id FROM hrgate.samples ORDER BY value") == [
        ["60", "raspberrypi", "1a"], ["61", "raspberrypi", "1a"], ["62", "raspberrypi", "2b"],
      ])
    // A sample that one gateway has deleted stays deleted if the other gateway sends it again.
    let deletion = Samples.page(deleted: [HKDeletedObject(uuid: both.uuid, metadata: nil)])
    _ = try await one.upload(deletion)
    _ = try await other.upload(Samples.page([both]))
    #expect(try database.column("SELECT value FROM hrgate.samples ORDER BY value") == ["61", "62"])
    _ = try await one.upload(Samples.page([both]))
    #expect(try database.column("SELECT value FROM hrgate.samples ORDER BY value") == ["60", "61", "62"])
  }

  @Test func `a renamed gateway is the same gateway`() async throws {
    let before = try await opened("1a")
    let (old, new) = (Samples.pulse(60), Samples.pulse(61))
    let deletion = Samples.page(deleted: [HKDeletedObject(uuid: new.uuid, metadata: nil)])
    _ = try await before.upload(Samples.page([old]))
    _ = try await before.upload(deletion)
    let after = try await opened("1a", name: "kitchen")
    _ = try await after.upload(Samples.page([new]))
    #expect(
      try database.rows("SELECT value, gateway, gateway_id FROM hrgate.samples ORDER BY value") == [
        ["60", "kitchen", "1a"], ["61", "kitchen", "1a"],
      ])
  }

  @Test func `samples from before gateway IDs still belong to their gateway only`()
    async throws
  {
    // Creates a database with the first version of the schema, which had no gateway IDs.
    try database.rows("CREATE SCHEMA hrgate; \(Schema.current.steps[0])")
    try database.rows(
      """
      CREATE TABLE hrgate.schema_version (version integer PRIMARY KEY,
        applied_at timestamptz NOT NULL DEFAULT now(), applied_by text NOT NULL DEFAULT current_user);
      INSERT INTO hrgate.schema_version (version) VALUES (1);
      INSERT INTO hrgate.gateway (name) VALUES ('raspberrypi')
      """)
    let (mine, deleted) = (Samples.pulse(60), Samples.pulse(61))
    try database.rows(
      """
      INSERT INTO hrgate.tombstone (uuid, type, deleted_at, person, gateway)
      VALUES ('\(deleted.text)', 'HKQuantityTypeIdentifierHeartRate', now(), 'Ada', 'raspberrypi')
      """)
    let (one, other) = (try await opened("1a"), try await opened("2b"))
    #expect(
      try database.rows("SELECT name, identity FROM hrgate.gateway ORDER BY id") == [
        ["raspberrypi", "1a"], ["raspberrypi", "2b"],
      ])
    _ = try await other.upload(Samples.page([mine, deleted]))
    #expect(try database.column("SELECT value FROM hrgate.samples") == ["60"])
    _ = try await one.upload(Samples.page([deleted]))
    #expect(try database.column("SELECT value FROM hrgate.samples ORDER BY value") == ["60", "61"])
  }

  @Test func `gateways with one name that connect concurrently for the first time are distinct`()
    async throws
  {
    try await opened(nil).close()
    try await withThrowingTaskGroup { group in
      for id in 0..<6 { group.addTask { try await database.store("raspberrypi", id: "\(id)").open() } }
      try await group.waitForAll()
    }
    #expect(
      try database.column("SELECT identity FROM hrgate.gateway ORDER BY identity")
        == (0..<6).map { "\($0)" })
  }
}
