import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Tests that a sample is identified by its person and UUID.
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

  @Test(arguments: [0, 600]) func `two persons can have samples with one UUID`(others: Int) async throws {
    let (ada, bert) = (try await opened(), try await opened(person: "Bert"))
    for (store, value) in [(ada, 60.0), (bert, 61)] {
      #expect(
        try await store.upload(Samples.page([try Samples.pulse(uuid, value)] + Samples.pulses(others))) == [])
    }
    #expect(
      try database.rows(
        "SELECT person, value FROM hrgate.samples WHERE uuid = '\(uuid)' ORDER BY person"
      ) == [["Ada", "60"], ["Bert", "61"]])
  }

  @Test func `a deletion applies to one person's sample, with any gateway name`() async throws {
    let (ada, bert) = (try await opened(), try await opened(person: "Bert"))
    let page = Samples.page([try Samples.pulse(uuid, 60)])
    for store in [ada, bert] { _ = try await store.upload(page) }
    #expect(try await bert.upload(deletion()) == [])
    #expect(try database.column("SELECT person FROM hrgate.samples") == ["Ada"])
    // Ada's gateway can add the sample again after deleting it, because Bert's deletion does not apply to
    // Ada.
    #expect(try await ada.upload(deletion()) == [])
    #expect(try await ada.upload(page) == [])
    #expect(try database.column("SELECT person FROM hrgate.samples") == ["Ada"])
    #expect(try database.column("SELECT person FROM hrgate.tombstone") == ["Bert"])
  }

  // MARK: - What changes

  @Test func `a superseding sample replaces only the sample of the same gateway`()
    async throws
  {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    let steps = [
      (attic, "first", false), (attic, "equal", false), (attic, "second", true), (attic, "second", true),
      (cellar, "third", true),
    ]
    for (store, note, supersedes) in steps {
      let record = try Samples.pulse(uuid, 60, note: note, supersedes: supersedes)
      #expect(try await store.upload(Samples.page([record])) == [])
    }
    #expect(
      try database.rows("SELECT metadata->>'note', gateway FROM hrgate.samples") == [["second", "attic"]])
  }

  /// The new start is one second later, twenty days later (in the next month), or three years earlier.
  @Test(arguments: [1.0, 1_728_000.0, -94_608_000.0]) func `a changed start moves the sample`(
    by seconds: Double
  ) async throws {
    let attic = try await opened()
    let old = try Samples.pulse(uuid, 60)
    let new = try Samples.pulse(uuid, 60, at: seconds, supersedes: true)
    for record in [old, new, new] { #expect(try await attic.upload(Samples.page([record])) == []) }
    #expect(
      try database.rows(#"SELECT extract(epoch FROM "start")::bigint FROM hrgate.samples"#) == [
        ["\(Int(1_795_000_000 + seconds))"]
      ])
    // A deletion finds the moved sample.
    #expect(try await attic.upload(deletion()) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["0"])
  }

  /// Two gateways decode the same log with different versions of hrgate, so the starts differ slightly:
  /// within a month, and around midnight at the start of December.
  @Test(arguments: [(0.0, 2.0), (1_083_199.0, 1_083_201.0), (1_083_201.0, 1_083_199.0)], [1, 600])
  func `a slightly different start from another gateway is the same sample`(
    starts: (Double, Double), count: Int
  ) async throws {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    _ = try await attic.upload(Samples.page([try Samples.pulse(uuid, 60, at: starts.0)]))
    // A page of 600 samples is copied directly into the table if it is the first page of a session.
    let page = Samples.page([try Samples.pulse(uuid, 60, at: starts.1)] + Samples.pulses(count - 1))
    #expect(try await cellar.upload(page) == [])
    #expect(try database.column("SELECT gateway FROM hrgate.samples WHERE uuid = '\(uuid)'") == ["attic"])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["\(count)"])
  }

  /// `Queries.md` explains why the store does not search for such rows, and has a query that finds them. A
  /// changed sample keeps one of the two rows, and a deletion removes both.
  @Test(arguments: [1, 600])
  func `starts of two gateways that differ by months are two rows, which a query finds`(
    count: Int
  ) async throws {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    _ = try await attic.upload(Samples.page([try Samples.pulse(uuid, 60)]))
    let page = Samples.page(
      [try Samples.pulse(uuid, 60, at: 90 * 86_400)] + Samples.pulses(count - 1))
    #expect(try await cellar.upload(page) == [])
    let queries = try QueryPage.queries()
    let find = try #require(queries["Duplicate samples"])
    #expect(try database.rows(find) == [["Ada", "\(uuid)".lowercased(), "2", "attic, cellar"]])
    // The gateway `cellar` changes the sample: its own row is removed, and the row of `attic` remains.
    let again = try Samples.pulse(uuid, 60, at: 90 * 86_400, note: "new", supersedes: true)
    #expect(try await cellar.upload(Samples.page([again])) == [])
    #expect(try database.column("SELECT gateway FROM hrgate.samples WHERE uuid = '\(uuid)'") == ["attic"])
    #expect(try database.rows(find) == [])
    #expect(try await attic.upload(deletion()) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.samples WHERE uuid = '\(uuid)'") == ["0"])
  }

  @Test func `a superseding sample is added if it is new, and not if it was deleted`() async throws {
    let (attic, cellar) = (try await opened(), try await opened("cellar"))
    let records = try (0..<600).map { try Samples.pulse(UUID(), 60, at: Double($0), supersedes: true) }
    for _ in 0..<2 { #expect(try await attic.upload(Samples.page(records)) == []) }
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["600"])
    #expect(try await cellar.upload(deletion()) == [])
    #expect(try await attic.upload(Samples.page([try Samples.pulse(uuid, 60, supersedes: true)])) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["600"])
  }
}
