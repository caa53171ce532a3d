import Foundation
import HealthDataSync
import HealthKit
import HealthStorage
import Testing

@testable import TestSupport

/// Tests retries of dead letters, which are records that the destination refused.
@Suite(.timeLimit(.minutes(30))) struct SetAsideTests {
  /// Returns a store with `count` samples, all of them refused by the destination.
  private func refused(
    _ count: Int
  ) async throws -> (store: HKHealthStore, external: FaultyStore, samples: [HKQuantitySample]) {
    let store = try HKHealthStore.inMemory()
    try await SyncDestinations(store).add(destination())
    let samples = (0..<count).map { heartRate(60, at: Double($0)) }
    try await store.save(samples)
    let external = FaultyStore()
    await external.refuse { _ in true }
    try await Synchronizer("d", of: store, to: external).runOnce()
    #expect(try await store.status()?.setAside == count)
    await external.refuse { _ in false }
    return (store, external, samples)
  }

  private func follow(_ synchronizer: Synchronizer, _ body: () async throws -> Void) async throws {
    let run = Task { try await synchronizer.run() }
    let result: Result<Void, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    run.cancel()
    _ = await run.result
    try result.get()
  }

  @Test func `a record that makes the destination fail delays neither others nor the run`()
    async throws
  {
    let (store, external, samples) = try await refused(150)
    // Dead letters are retried in the order of their UUIDs, so this one (number 121) is in the second page.
    let bad = try #require(samples.map(\.uuid).sorted { $0.uuidString < $1.uuidString }.dropFirst(120).first)
    await external.fail { $0 == bad }
    let new = heartRate(99, at: 1000)
    try await store.save(new)
    let clock = ImpatientClock()
    let before = await external.pages.count
    try await Synchronizer("d", of: store, to: external, clock: clock).runOnce()
    #expect(await external.uuids == Set(samples.map(\.uuid)).union([new.uuid]).subtracting([bad]))
    // The new sample comes before the dead letters. The bad record is sent twice: with its page and alone.
    let pages = await external.pages.dropFirst(before)
    #expect(pages.first?.added.map(\.sample.uuid) == [new.uuid])
    #expect(pages.filter { $0.added.contains { $0.sample.uuid == bad } }.count == 2)
    #expect(clock.sleeps.isEmpty)
    let status = try #require(try await store.status())
    #expect(status.state == .current && status.setAside == 1 && status.sent == 150)
    let record = try #require(try await SyncDestinations(store).setAside("d").first)
    #expect(record.uuid == bad && record.attempts == 2 && record.reason == "the server is away")
  }

  @Test func `a run ends if the destination fails at each dead letter`() async throws {
    let (store, external, samples) = try await refused(150)
    await external.fail { _ in true }
    let clock = ImpatientClock()
    let before = await external.pages.count
    try await Synchronizer("d", of: store, to: external, clock: clock).runOnce()
    #expect(await external.pages.count - before == 3)
    #expect(clock.sleeps.isEmpty)
    #expect(try await store.status()?.setAside == samples.count)
    #expect(try await store.status()?.state == .blocked)
  }

  @Test func `all dead letters are retried although the destination fails at some of them`() async throws {
    let (store, external, samples) = try await refused(20)
    let bad = Set(samples.map(\.uuid).sorted { $0.uuidString < $1.uuidString }.prefix(2))
    await external.fail { bad.contains($0) }
    for _ in 0..<2 { try await Synchronizer("d", of: store, to: external).runOnce() }
    #expect(await external.uuids == Set(samples.map(\.uuid)).subtracting(bad))
    #expect(try await Set(SyncDestinations(store).setAside("d").map(\.uuid)) == bad)
  }

  @Test func `an attempt with a clock that was ahead does not delay the next one`() async throws {
    let (store, external, samples) = try await refused(3)
    let ledger = try store.syncLedger()
    let id = try #require(try await ledger.destination(named: "d")).id
    let tomorrow = Microseconds.clamped(Date(timeIntervalSinceNow: 86_400))
    for sample in samples.prefix(2) {
      try await ledger.postpone(sample.uuid, reason: "away", of: id, at: tomorrow)
    }
    try await Synchronizer("d", of: store, to: external).runOnce()
    #expect(await external.records.count == 3)
    #expect(try await store.status()?.setAside == 0)
  }

  /// The dead letters do not fit into one page. The last attempt of 60 of them has a time in the future, as
  /// if the clock had been ahead.
  @Test func `a run tries each dead letter once, with any earlier clock`() async throws {
    let (store, external, samples) = try await refused(210)
    await external.refuse { _ in true }
    let ledger = try store.syncLedger()
    let id = try #require(try await ledger.destination(named: "d")).id
    let tomorrow = Microseconds.clamped(Date(timeIntervalSinceNow: 86_400))
    for sample in samples.prefix(60) {
      try await ledger.postpone(sample.uuid, reason: "away", of: id, at: tomorrow)
    }
    try await Synchronizer("d", of: store, to: external).runOnce()
    let attempts = try await SyncDestinations(store).setAside("d", limit: 300).map(\.attempts)
    #expect(attempts.sorted() == Array(repeating: 2, count: 150) + Array(repeating: 3, count: 60))
  }

  /// A record that is no longer in the change log cannot be sent, so its retry is skipped.
  @Test func `a dead letter without a change is not due again and again`() async throws {
    let (store, external, samples) = try await refused(2)
    let ledger = try store.syncLedger()
    let id = try #require(try await ledger.destination(named: "d")).id
    let carried = SentRecords(
      type: "t", sent: 0, deleted: 0, settled: [], refused: [(UUID(), "unknown")], time: 1)
    #expect(
      try await ledger.save(
        carried,
        CursorStep(from: nil, to: ChangeLogCursor(position: 1, mark: ""), restarts: false, revision: 0),
        to: id, resets: 0) == .saved)
    try await SyncDestinations(store).resetSetAside("d")
    #expect(try await ledger.urgedRefusalCount(of: id) == 3)
    try await Synchronizer("d", of: store, to: external).runOnce()
    #expect(await external.records.count == samples.count)
    #expect(try await ledger.urgedRefusalCount(of: id) == 0)
    #expect(try await store.status()?.setAside == 1)
  }

  @Test func `a run does not retry its own dead letters`() async throws {
    let (store, external, _) = try await refused(2)
    await external.refuse { _ in true }
    try await store.save(heartRate(99, at: 1000))
    try await Synchronizer("d", of: store, to: external).runOnce()
    #expect(try await SyncDestinations(store).setAside("d").map(\.attempts).sorted() == [1, 2, 2])
  }

  @Test func `accepted dead letters do not shorten the pauses after failures`() async throws {
    let (store, external, samples) = try await refused(3)
    let bad = heartRate(99, at: 1000)
    await external.fail { $0 == bad.uuid }
    try await store.save(bad)
    try await SyncDestinations(store).resetSetAside("d")
    let clock = ImpatientClock()
    await #expect(throws: ExternalStoreError.self) {
      try await Synchronizer("d", of: store, to: external, clock: clock).runOnce()
    }
    #expect(clock.sleeps.count == SyncPolicy().attemptsOfOneRun - 1)
    // The run ended at the bad sample, so it did not retry the dead letters, which come after new samples.
    #expect(await external.uuids.isDisjoint(with: samples.map(\.uuid)))
  }

  @Test func `a continuous run retries dead letters after their pause without a commit`()
    async throws
  {
    let (store, external, samples) = try await refused(2)
    var policy = SyncPolicy()
    policy.firstPauseOfSetAside = .milliseconds(300)
    try await follow(Synchronizer("d", of: store, to: external, policy: policy)) {
      await external.reach { $0.records.count == samples.count }
      let isEmpty = try await eventually { try await store.status()?.setAside == 0 }
      #expect(isEmpty)
    }
  }

  @Test func `a continuous run does not retry dead letters before their pause ends`() async throws {
    let (store, external, _) = try await refused(2)
    let before = await external.pages.count
    try await follow(Synchronizer("d", of: store, to: external)) {
      let new = heartRate(99, at: 1000)
      try await store.save(new)
      await external.reach { $0.uuids.contains(new.uuid) }
      let newer = heartRate(99, at: 1001)
      try await store.save(newer)
      await external.reach { $0.uuids.contains(newer.uuid) }
    }
    #expect(await external.pages.dropFirst(before).allSatisfy { $0.added.count == 1 })
    #expect(await external.records.count == 2)
  }
}
