import Foundation
import HealthStorage
import Testing

@testable import TestSupport

/// Tests that a batch survives if `save` has returned, and is otherwise stored completely or not at all.
@Suite struct KilledWriterTests {
  private static let rounds = isLongRun ? 200 : 40
  private static let size = 7

  @Test(.timeLimit(.minutes(30)))
  func whatWasAcknowledgedSurvivesAKill() async throws {
    var generator = SeededGenerator(seed: 9)
    try await withTemporaryDirectory { directory in
      let path = directory + "/health.sqlite"
      var acknowledged: Set<Int> = []
      var next = 0
      for round in 0..<Self.rounds {
        let writer = try ClientProcess(
          ["write", path, "\(next)", "\(Self.size)", "0"], output: directory + "/\(round)")
        // Kill the writer at a random moment: before it has opened the store, or up to some hundred commits
        // later. Every second round waits until a few batches are saved, however slow the machine is.
        let few = Int.random(in: 1...20, using: &generator)
        if round % 2 == 0 { try #require(await eventually { try writer.numbers().count >= few }) }
        try await Task.sleep(for: .microseconds(Int.random(in: 0...80_000, using: &generator)))
        writer.kill()
        let said = try writer.numbers()
        acknowledged.formUnion(said)
        // The killed writer may have committed one more batch than it printed.
        next = (said.last ?? next) + 2
      }
      let database = try SampleDatabase.open(at: path, .none)
      let stored = try await database.samples(.everything, order: [.insertion(ascending: true)])
      var counts: [Int: Int] = [:]
      for record in stored {
        guard case .quantity(let value, _) = record.content else { continue }
        counts[Int(value), default: 0] += 1
      }
      #expect(acknowledged.count > Self.rounds, "too few batches were saved")
      #expect(acknowledged.subtracting(counts.keys) == [], "lost")
      #expect(counts.filter { $0.value != Self.size } == [:], "in part")
      #expect(counts.count <= acknowledged.count + Self.rounds)
      #expect(try await database.integrity() == ["ok"])
    }
  }
}
