import Foundation
import GRDB
import Synchronization
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests the compaction that a gateway runs in the background: in small steps, with pauses, and repeatedly.
@Suite struct CompactionRunTests {
  /// A test clock: each reading advances it by a second, so each step takes a second. Pauses are recorded,
  /// not slept.
  private final class SlowClock: Clock, Sendable {
    typealias Instant = ManualClock.Instant

    private let state = Mutex((now: Instant(elapsed: .zero), rests: [Duration]()))
    /// Called before each pause with the number of previous pauses.
    let onRest: @Sendable (Int) async throws -> Void

    init(onRest: @escaping @Sendable (Int) async throws -> Void) { self.onRest = onRest }

    var minimumResolution: Duration { .nanoseconds(1) }
    var rests: [Duration] { state.withLock(\.rests) }
    var now: Instant {
      state.withLock { state in
        state.now = state.now.advanced(by: .seconds(1))
        return state.now
      }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      let count = state.withLock { state in
        state.rests.append(state.now.duration(to: deadline))
        state.now = max(state.now, deadline)
        return state.rests.count
      }
      try await onRest(count)
    }
  }

  @Test func `it pauses forty-nine times as long as each step took`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save(DenseHours.records(0..<3))
    let (tallies, continuation) = AsyncStream.makeStream(of: CompactionTally.self)
    let clock = SlowClock { _ in try Task.checkCancellation() }
    let run = CompactionRun(
      database, pause: .seconds(600), clock: clock, now: { DenseHours.after(3) }
    ) {
      if case .condensed(let tally) = $0 { continuation.yield(tally) }
    }
    let task = Task { await run.run() }
    let tally = await tallies.first { _ in true }
    task.cancel()
    await task.value
    #expect(tally?.rows == 240)
    let rests = clock.rests
    // One step finds the hour and another one compacts it. After each step there is a pause.
    #expect(rests.count >= 7)
    #expect(rests.first.map { $0 >= .seconds(599) } == true)
    #expect(rests.dropFirst().prefix(6).allSatisfy { $0 >= .seconds(48) && $0 < .seconds(100) }, "\(rests)")
  }

  @Test func `a failed compaction is reported, and so is its recovery`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      try await database.save(DenseHours.records(0..<1))
      try await database.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 1") }
      let reports = Mutex([String]())
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      let clock = SlowClock { _ in try Task.checkCancellation() }
      let run = CompactionRun(
        database, pause: .seconds(600), clock: clock, now: { DenseHours.after(1) }
      ) { report in
        switch report {
        case .failed:
          reports.withLock { $0.append("failed") }
          try? database.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 0") }
        case .condensed(let tally):
          reports.withLock { $0.append("packed \(tally.rows)") }
          end.finish()
        }
      }
      let task = Task { await run.run() }
      for await _ in ends {}
      task.cancel()
      await task.value
      #expect(reports.withLock(\.self) == ["failed", "packed 80"])
    }
  }

  @Test func `a store locked by another program is skipped and compacted later`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      database.timeout.isBrief = true
      try await database.save(DenseHours.records(0..<1))
      let lock = try StoreLock(directory + "/s")
      let reports = Mutex([String]())
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      // The store is locked during the first attempts, and unlocked before the third one.
      let clock = SlowClock { count in
        try Task.checkCancellation()
        if count == 4 { try lock.release() }
      }
      let run = CompactionRun(database, pause: .seconds(600), clock: clock, now: { DenseHours.after(1) }) {
        report in
        reports.withLock { $0.append("\(report)") }
        end.finish()
      }
      let task = Task { await run.run() }
      for await _ in ends {}
      task.cancel()
      await task.value
      #expect(reports.withLock(\.self).count == 1)
      #expect(try await database.count(of: "sample") == 0)
    }
  }
}
