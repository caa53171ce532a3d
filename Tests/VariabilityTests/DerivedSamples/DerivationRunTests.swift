import Foundation
import HealthKit
import HealthStorage
import Synchronization
import Testing

@testable import HealthSystem
@testable import TestSupport

/// Tests `DerivationRun`, which derives variability and resting heart rate after each commit of samples.
@Suite(.timeLimit(.minutes(30))) struct DerivationRunTests {
  private final class Heard: Sendable {
    let failures = Mutex(0)
    let changes = Mutex(0)

    func hear(_ report: DerivationRun.Report) {
      switch report {
      case .derived(let tally): changes.withLock { $0 += tally.changes }
      case .failed: failures.withLock { $0 += 1 }
      }
    }
  }

  @Test func `missed changes are derived first, then each commit`() async throws {
    let store = try HKHealthStore.inMemory()
    try await Heart(beats: 400).save(in: store)
    let heard = Heard()
    let run = DerivationRun(try Derivation(store) { .gmt }, pause: .zero) { heard.hear($0) }
    let task = Task { await run.run() }
    #expect(try await eventually { try await store.variability().count == 1 })
    try await Heart(beats: 400, start: begin + 3600).save(in: store)
    #expect(try await eventually { try await store.variability().count == 2 })
    task.cancel()
    await task.value
    #expect(heard.changes.withLock(\.self) == 2 && heard.failures.withLock(\.self) == 0)
  }

  @Test func `a failure is reported, and retried until it succeeds`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    try await Heart(beats: 400).save(in: store)
    let derivation = try Derivation(store) { .gmt }
    derivation.database.timeout.isBrief = true
    let lock = try StoreLock(path)
    let heard = Heard()
    let run = DerivationRun(derivation, pause: .milliseconds(1)) { heard.hear($0) }
    let task = Task { await run.run() }
    #expect(await eventually { heard.failures.withLock(\.self) > 1 })
    try lock.release()
    #expect(await eventually { heard.changes.withLock(\.self) == 1 })
    task.cancel()
    await task.value
  }

  @Test func `the last pass works until its timeout, and the next run does the rest`() async throws {
    let store = try HKHealthStore.inMemory()
    try await Heart(beats: 9000).save(in: store)
    let derivation = try Derivation(store) { .gmt }
    let heard = Heard()
    await DerivationRun(derivation, pause: .zero) { heard.hear($0) }.finish(within: .zero)
    #expect(try await store.variability().isEmpty)
    var steps = 0
    _ = try await derivation.catchUp {
      steps += 1
      return steps < 3
    }
    let some = try await store.variability().count
    #expect(some > 0 && some < 25)
    await DerivationRun(derivation, pause: .zero) { heard.hear($0) }.finish(within: .seconds(3600))
    #expect(try await store.variability().count > 25 && heard.failures.withLock(\.self) == 0)
    // Everything has been derived, so deriving again changes nothing.
    #expect(try await derivation.catchUp() == DerivationTally())
  }

  @Test func `after a restore from a backup everything is read again`() async throws {
    let store = try HKHealthStore.inMemory()
    try await Heart(beats: 400).save(in: store)
    let derivation = try Derivation(store) { .gmt }
    _ = try await derivation.catchUp()
    let place = ChangeLogCursor(position: 1, mark: "another log")
    try await derivation.database.setDerivedCursor(place, of: DerivedSource.bundleIdentifier)
    #expect(try await derivation.catchUp() == DerivationTally(0, 0, 0, 1))
  }
}
