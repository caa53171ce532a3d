import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that a store with rows and segments has the same query results as a store with rows only.
@Suite struct PackedStoreTests {
  /// The seeds of the histories. `HRGATE_SEED` selects a single one.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["HRGATE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return Array(0..<(isLongRun ? 2000 : 4))
  }()

  @Test func `after any history, every query has the result that rows have`() async throws {
    var packed = 0
    for seed in Self.seeds {
      var history = try await PackedHistory(seed: seed)
      for round in 0..<36 {
        if let (what, rows, both) = try await history.step() {
          #expect(rows == both, "seed \(seed), round \(round): \(what)")
        }
        guard round % 6 == 5 else { continue }
        var questions = try await PackedQuestions(history)
        for (what, ask) in questions.some(10) {
          let (name, admission) = history.choice(Self.admissions)
          let rows = await answer(history.rows.admitted(admission), ask)
          let both = await answer(history.both.admitted(admission), ask)
          guard rows != both else { continue }
          Issue.record("seed \(seed), round \(round), \(name): \(what)\n\(Self.difference(rows, both))")
          return
        }
      }
      packed += history.packed
    }
    // Enough samples must have been in segments for the test to be meaningful.
    #expect(packed > 40 * Self.seeds.count, "\(packed)")
  }

  private static let admissions: [(name: String, Admission)] = [
    ("system", .system),
    ("application", .reading([.type("t")], by: PackedHistory.application)),
    ("with another type", .reading([.type("t"), .type("u"), .objects("c")], by: PackedHistory.application)),
  ]

  /// Returns the parts of two results that follow their common prefix.
  private static func difference(_ rows: String, _ both: String) -> String {
    let common = zip(rows, both).prefix { $0 == $1 }.count
    let from = max(0, common - 200)
    return "rows: \(rows.dropFirst(from).prefix(500))\nboth: \(both.dropFirst(from).prefix(500))"
  }
}
