import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Tests query plans in a database without statistics, such as a new one.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized, .timeLimit(.minutes(30)))
struct PlanTests {
  private let database: TestDatabase

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  /// Number of deletions with which a page was once slow.
  private static let deletions = 188_305
  private static let rows = 10_000

  private func store() async throws -> PostgreSQLStore {
    let store = try database.store()
    try await store.open()
    // The first page creates the partition of the month. Autovacuum is disabled, because it would collect
    // statistics.
    _ = try await store.upload(Samples.page(Samples.pulses(1)))
    try database.rows(
      """
      ALTER TABLE hrgate.tombstone SET (autovacuum_enabled = false);
      ALTER TABLE hrgate.sample_2026_11 SET (autovacuum_enabled = false)
      """)
    return store
  }

  private func delete(_ gateway: String) throws {
    try database.rows(
      """
      INSERT INTO hrgate.tombstone (uuid, type, deleted_at, person, gateway)
      SELECT gen_random_uuid(), 'HKQuantityTypeIdentifierHeartRate', now(), 'Ada', '\(gateway)'
      FROM generate_series(1, \(Self.deletions))
      """)
    #expect(
      try database.column(
        "SELECT count(*) FROM pg_stats WHERE schemaname = 'hrgate' AND tablename = 'tombstone'")
        == ["0"])
  }

  private func time(_ store: PostgreSQLStore, _ page: ChangePage) async throws -> Duration {
    let start = ContinuousClock.now
    #expect(try await store.upload(page) == [])
    return start.duration(to: .now)
  }

  /// Returns the shortest of three durations, to reduce the influence of other processes.
  private func page(_ store: PostgreSQLStore, _ change: (ExternalRecord) -> ExternalRecord = { $0 })
    async throws
    -> Duration
  {
    var shortest: Duration?
    for _ in 0..<3 {
      let page = Samples.page(Samples.pulses(Self.rows).map(change))
      let time = try await time(store, page)
      shortest = min(shortest ?? time, time)
    }
    return shortest ?? .zero
  }

  /// Greatest permitted duration of a page, as a multiple of the duration without many rows. A nested loop
  /// over both tables takes 300 times as long, while other processes make a page only a few times slower.
  private static let most = 50

  @Test(arguments: ["attic", "cellar"])
  func `a page is not slower after many deletions, of this or another gateway`(gateway: String)
    async throws
  {
    let store = try await store()
    // The store deletes one sample first, so that both measured pages use the same statements.
    _ = try await store.upload(Samples.page(deleted: [HKDeletedObject(uuid: UUID(), metadata: nil)]))
    let before = try await page(store)
    try delete(gateway)
    let after = try await page(store)
    #expect(after < before * Self.most, "\(after) after \(before)")
  }

  @Test func `superseding samples and deletions are not slower with many rows`() async throws {
    let store = try await store()
    func superseding(_ record: ExternalRecord) -> ExternalRecord {
      ExternalRecord(sample: record.sample, supersedes: true)
    }
    let before = try await page(store, superseding)
    try delete("attic")
    try database.rows(
      """
      INSERT INTO hrgate.sample (uuid, "start", value, origin, gateway, person)
      SELECT gen_random_uuid(), '2026-11-02 00:00+00'::timestamptz + make_interval(secs => n), 60, 1, 1, 1
      FROM generate_series(1, \(Self.deletions)) n
      """)
    let after = try await page(store, superseding)
    #expect(after < before * Self.most, "\(after) after \(before)")
    let known = Samples.pulses(Self.rows)
    let reset = Samples.page(known.map(superseding))
    _ = try await store.upload(reset)
    let again = try await time(store, reset)
    #expect(again < before * Self.most, "\(again) after \(before)")
    let deletion = Samples.page(deleted: known.map { HKDeletedObject(uuid: $0.uuid, metadata: nil) })
    let deleting = try await time(store, deletion)
    #expect(deleting < before * Self.most, "\(deleting) after \(before)")
    #expect(
      try database.column("SELECT count(*) FROM hrgate.sample WHERE uuid = '\(known[0].text)'") == ["0"])
  }
}
