import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that a random history gives the same query results on an encrypted store as on a plain one.
@Suite(.enabled(if: hasKeyring, withoutKeyring)) struct EncryptionHistoryTests {
  /// `HRGATE_SEED` selects one.
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["HRGATE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return Array(100..<(isLongRun ? 400 : 102))
  }()

  @Test(.timeLimit(.minutes(30)))
  func `every query has the same answer on an encrypted and compacted store as on a plain one`() async throws
  {
    for seed in Self.seeds {
      let fixture = try await EncryptedStoreFixture([])
      let encrypted = try SampleDatabase.open(at: fixture.path)
      var history = try await PackedHistory(seed: seed, both: encrypted)
      for round in 0..<24 {
        if let (what, rows, both) = try await history.step() {
          #expect(rows == both, "seed \(seed), round \(round): \(what)")
        }
        // Locking and unlocking the store between two operations must not change any result.
        if round % 8 == 3 {
          _ = try StoreEncryption.lock(fixture.path)
          try fixture.unlock()
        }
        guard round % 6 == 5 else { continue }
        var questions = try await PackedQuestions(history)
        for (what, ask) in questions.some(10) {
          let rows = await answer(history.rows, ask)
          let both = await answer(history.both, ask)
          #expect(rows == both, "seed \(seed), round \(round): \(what)")
        }
      }
      #expect(history.packed > 20, "seed \(seed)")
      #expect(try await encrypted.integrity() == ["ok"])
      try encrypted.close()
      #expect(!fixture.file().containsBytes("SQLite format 3"))
    }
  }
}
