import Foundation
import Testing

@testable import TestSupport

/// Tests a store that an earlier version created from the recordings. In that version the UUID of a heart
/// rate was derived from its frame.
@Suite struct EarlierStoreTests {
  private let folder: TemporaryFolder
  private let store: String
  private static let logs = (Recordings.sessions + ["demo"]).map { Recordings.path("\($0).btsnoop") }

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Stores/schema-11.sql")
    _ = try Command.tool("sqlite3", [store, ".read \(script.path)"])
  }

  private func replay(_ arguments: [String] = []) throws -> [[String: Any]] {
    try Command.hrgate(["replay"] + Self.logs + ["--store", store, "--json"] + arguments).objects()
  }

  private func total(_ counts: Any?) -> Int { (counts as? [String: Int] ?? [:]).values.reduce(0, +) }

  private func duplicates(in outcomes: [[String: Any]]) -> Int {
    outcomes.reduce(0) { $0 + ($1["duplicates"] as? Int ?? 0) }
  }

  @Test func `replaying an old log into an old store adds nothing`() throws {
    let before = try Samples(store: store)
    #expect(before.heartRates.count == 723)
    for arguments in [["--dry-run"], [], []] {
      let outcomes = try replay(arguments)
      #expect(outcomes.allSatisfy { total($0["stored"]) == 0 }, "\(arguments)")
      #expect(duplicates(in: outcomes) == 723)
      #expect(try Samples(store: store).identifiers == before.identifiers)
    }
  }

  @Test func `samples missing from an old store are added once, and existing ones keep their identity`()
    throws
  {
    let before = Set(try Samples(store: store).identifiers)
    let lost = "SELECT uuid FROM sample WHERE type = 2 AND id % 7 = 3"
    _ = try Command.tool("sqlite3", [store, "DELETE FROM sample WHERE uuid IN (\(lost))"])
    let kept = Set(try Samples(store: store).identifiers)
    #expect(kept.count < before.count)
    let first = try replay()
    #expect(first.reduce(0) { $0 + total($1["stored"]) } == before.count - kept.count)
    let after = Set(try Samples(store: store).identifiers)
    #expect(after.count == before.count)
    #expect(after.isSuperset(of: kept))
    // A heart rate that is added now gets the UUID that it has in a new store, not the one of the earlier
    // version.
    #expect(after.subtracting(kept).isDisjoint(with: before))
    let second = try replay()
    #expect(second.allSatisfy { total($0["stored"]) == 0 })
    #expect(Set(try Samples(store: store).identifiers) == after)
  }
}
