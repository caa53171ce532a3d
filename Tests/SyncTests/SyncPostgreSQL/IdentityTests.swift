import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// A sample is one by its person and UUID, whatever else of it changes.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct IdentityTests {
  private let database: TestDatabase
  private let uuid = UUID()

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  private func opened(_ gateway: String = "attic", person: String = "Ada") async throws -> PostgreSQLStore {
    let store = try database.store(gateway, person: person)
    try await store.open()
    return store
  }

  private func deletion() -> ChangePage {
    Samples.page(deleted: [HKDeletedObject(uuid: uuid, metadata: nil)])
  }

  // MARK: - Persons

  @Test(arguments: [0, 600]) func `two persons have a sample each of one UUID`(others: Int) async throws {
    let (ada, bert) = (try await opened(), try await opened(person: "Bert"))
    for (store, value) in [(ada, 60.0), (bert, 61)] {
      #expect(
        try await store.carry(Samples.page([try Samples.pulse(uuid, value)] + Samples.pulses(others))) == [])
    }
    #expect(
      try database.rows(
        "SELECT person, value FROM hrgate.samples WHERE uuid = '\(uuid)' ORDER BY person"
      ) == [["Ada", "60"], ["Bert", "61"]])
  }

  @Test func `a deletion is of one person's sample, whatever the gateway's name`() async throws {
    let (ada, bert) = (try await opened(), try await opened(person: "Bert"))
    let page = Samples.page([try Samples.pulse(uuid, 60)])
    for store in [ada, bert] { _ = try await store.carry(page) }
    #expect(try await bert.carry(deletion()) == [])
    #expect(try database.column("SELECT person FROM hrgate.samples") == ["Ada"])
    // Nor does it keep the other's from coming.
    #expect(try await ada.carry(deletion()) == [])
    #expect(try await ada.carry(page) == [])
    #expect(try database.column("SELECT person FROM hrgate.samples") == ["Ada"])
    #expect(try database.column("SELECT person FROM hrgate.tombstone") == ["Bert"])
  }

  // MARK: - What changes

  @Test func `what supersedes takes the place of what its gateway brought, and of nobody else's`()
    async throws
  {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    let steps = [
      (attic, "first", false), (attic, "equal", false), (attic, "second", true), (attic, "second", true),
      (cellar, "third", true),
    ]
    for (store, note, supersedes) in steps {
      let record = try Samples.pulse(uuid, 60, note: note, supersedes: supersedes)
      #expect(try await store.carry(Samples.page([record])) == [])
    }
    #expect(
      try database.rows("SELECT metadata->>'note', gateway FROM hrgate.samples") == [["second", "attic"]])
  }

  /// By a second, by twenty days into the next month, and by three years.
  @Test(arguments: [1.0, 1_728_000.0, -94_608_000.0]) func `a start that changes moves the sample`(
    by seconds: Double
  ) async throws {
    let attic = try await opened()
    let old = try Samples.pulse(uuid, 60)
    let new = try Samples.pulse(uuid, 60, at: seconds, supersedes: true)
    for record in [old, new, new] { #expect(try await attic.carry(Samples.page([record])) == []) }
    #expect(
      try database.rows(#"SELECT extract(epoch FROM "start")::bigint FROM hrgate.samples"#) == [
        ["\(Int(1_795_000_000 + seconds))"]
      ])
    // And a deletion finds it.
    #expect(try await attic.carry(deletion()) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["0"])
  }

  /// As of another version of hrgate, that reads the same log a little otherwise: within a month, and around
  /// the midnight that begins December.
  @Test(arguments: [(0.0, 2.0), (1_083_199.0, 1_083_201.0), (1_083_201.0, 1_083_199.0)], [1, 600])
  func `another gateway's start that is a little different is no other sample`(
    starts: (Double, Double), count: Int
  ) async throws {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    _ = try await attic.carry(Samples.page([try Samples.pulse(uuid, 60, at: starts.0)]))
    // A large first page goes straight into the table.
    let page = Samples.page([try Samples.pulse(uuid, 60, at: starts.1)] + Samples.pulses(count - 1))
    #expect(try await cellar.carry(page) == [])
    #expect(try database.column("SELECT gateway FROM hrgate.samples WHERE uuid = '\(uuid)'") == ["attic"])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["\(count)"])
  }

  /// Why it is not looked for says the page, which has what finds it. A change leaves one of them, and a
  /// deletion none.
  @Test(arguments: [1, 600])
  func `starts of two gateways that are months apart are two rows, which the page's query finds`(
    count: Int
  ) async throws {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    _ = try await attic.carry(Samples.page([try Samples.pulse(uuid, 60)]))
    let page = Samples.page(
      [try Samples.pulse(uuid, 60, at: 90 * 86_400)] + Samples.pulses(count - 1))
    #expect(try await cellar.carry(page) == [])
    let queries = try QueryPage.queries()
    let find = try #require(queries["Duplicate samples"])
    #expect(try database.rows(find) == [["Ada", "\(uuid)".lowercased(), "2", "attic, cellar"]])
    // One gateway changes it: the other's stays.
    let again = try Samples.pulse(uuid, 60, at: 90 * 86_400, note: "new", supersedes: true)
    #expect(try await cellar.carry(Samples.page([again])) == [])
    #expect(try database.column("SELECT gateway FROM hrgate.samples WHERE uuid = '\(uuid)'") == ["attic"])
    #expect(try database.rows(find) == [])
    #expect(try await attic.carry(deletion()) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.samples WHERE uuid = '\(uuid)'") == ["0"])
  }

  @Test func `what supersedes and was never there is there then, and what was deleted stays so`() async throws
  {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    let records = try (0..<600).map { try Samples.pulse(UUID(), 60, at: Double($0), supersedes: true) }
    for _ in 0..<2 { #expect(try await attic.carry(Samples.page(records)) == []) }
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["600"])
    #expect(try await cellar.carry(deletion()) == [])
    #expect(try await attic.carry(Samples.page([try Samples.pulse(uuid, 60, supersedes: true)])) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["600"])
  }
}
