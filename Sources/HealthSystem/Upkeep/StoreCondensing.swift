package import Foundation
import HealthKit
import HealthStorage

/// Packs what is old in a store into blocks, all of it at once.
package struct StoreCondensing: Sendable {
  /// What became of it.
  package struct Report: Sendable {
    /// Samples that were packed.
    package var packed: Int
    /// Hours of one kind of samples of one source in which they lie.
    package var hours: Int
    /// Hours that stay as they were because they could not be packed.
    package var left: Int
    /// Which the last of those is, and why. Nothing in it was measured.
    package var reason: String?
    /// Whether nothing is left to pack.
    package var isDone: Bool
  }

  private let database: SampleDatabase
  private let clock: any Clock<Duration>

  /// - Parameter clock: measures for how long others are let go first.
  package init(_ store: SystemStore, clock: any Clock<Duration> = .continuous) {
    database = store.database
    self.clock = clock
  }

  /// How many samples may be packed, at most.
  /// - Throws: `HKError`.
  package func most() async throws -> Int {
    try await HKError.translating { try await database.rowCount() }
  }

  /// - Parameters:
  ///   - now: which hours are over.
  ///   - goesOn: asked after each hour of a kind; is told how many samples are packed.
  /// - Throws: `HKError`. What is packed by then stays packed.
  package func run(at now: Date, while goesOn: (Int) -> Bool) async throws -> Report {
    try await HKError.translating { try await condense(at: now, goesOn) }
  }

  private func condense(at now: Date, _ goesOn: (Int) -> Bool) async throws -> Report {
    var (condenser, tally, isDone) = (Condenser(database), CondensingTally(), false)
    let time = Int64(now.timeIntervalSince1970 * 1e6)
    try await condenser.look()
    while goesOn(tally.rows) {
      let elapsed = clock.stopwatch()
      guard let step = try await condenser.step(at: time) else {
        isDone = true
        break
      }
      tally.add(step)
      // Another program's write that waits looks now and then whether it may: it is to find that it may.
      if case .packed = step, database.hasGateway {
        try await clock.sleep(for: elapsed())
      }
    }
    return Report(
      packed: tally.rows, hours: tally.hours, left: tally.left, reason: tally.reason, isDone: isDone)
  }
}
