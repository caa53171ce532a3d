import Foundation
import HealthDataSync
import HealthKit
import HealthStorage
import Testing

@testable import TestSupport

/// Tests continuous runs: new changes, other processes, and actions of the user.
@Suite(.timeLimit(.minutes(30))) struct FollowingTests {
  private func withRun(
    _ synchronizer: Synchronizer, _ body: () async throws -> Void
  ) async throws -> Result<Void, any Error> {
    let run = Task { try await synchronizer.run() }
    do {
      try await body()
    } catch {
      run.cancel()
      _ = await run.result
      throw error
    }
    run.cancel()
    return await run.result
  }

  private func reaches(
    _ synchronizer: Synchronizer, _ condition: (SyncProgress) -> Bool
  ) async -> SyncProgress? {
    for await progress in synchronizer.progress() where condition(progress) { return progress }
    return nil
  }

  @Test func `new commits are sent, also those of another handle and of new types`() async throws {
    let folder = try TemporaryFolder()
    let store = try HKHealthStore(storeAt: folder.path("s"))
    try await SyncDestinations(store).add(destination())
    try await store.save(heartRate(60, at: 0))
    let external = FaultyStore()
    let result = try await withRun(Synchronizer("d", of: store, to: external)) {
      await external.reach { $0.records.count == 1 }
      try await store.save(heartRate(61, at: 1))
      await external.reach { $0.records.count == 2 }
      let other = try HKHealthStore(storeAt: folder.path("s"))
      try await other.save([burned(1, at: 1), burned(1, at: -5)])
      await external.reach { $0.records.count == 4 }
      try await other.delete(heartRates(in: other))
      await external.reach { $0.records.count == 2 }
    }
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(try await external.uuids == store.uuids(of: [pulse, energy]))
    #expect(await !external.isOpen)
  }

  private func heartRates(in store: HKHealthStore) async throws -> [HKSample] {
    try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: pulse)], sortDescriptors: [])
      .result(for: store)
  }

  @Test func `live changes are collected for the interval`() async throws {
    let store = try HKHealthStore.inMemory()
    try await SyncDestinations(store).add(destination())
    let external = FaultyStore()
    let clock = ImpatientClock()
    let synchronizer = Synchronizer("d", of: store, to: external, clock: clock)
    _ = try await withRun(synchronizer) {
      _ = await reaches(synchronizer) { $0.state == .idle }
      try await store.save(heartRate(61, at: 1))
      await external.reach { $0.records.count == 1 }
    }
    #expect(clock.sleeps.allSatisfy { $0 <= SyncPolicy().liveInterval })
    #expect(clock.sleeps.contains(SyncPolicy().liveInterval))
  }

  @Test func `after any number of failures a run continues at its position`() async throws {
    let store = try HKHealthStore.inMemory()
    try await SyncDestinations(store).add(destination())
    try await store.save((0..<10).map { heartRate(60, at: Double($0)) })
    let external = FaultyStore()
    await external.set(FaultyStore.Faults(before: 100))
    let clock = ImpatientClock()
    let synchronizer = Synchronizer("d", of: store, to: external, policy: .pages(of: 4), clock: clock)
    _ = try await withRun(synchronizer) {
      #expect(await eventually { clock.sleeps.count > 20 })
      await external.set(FaultyStore.Faults())
      await external.reach { $0.records.count == 10 }
      let progress = await reaches(synchronizer) { $0.state == .idle }
      #expect(progress?.carried == 10 && progress?.pending == 0 && progress?.setAside == 0)
    }
    #expect(await external.pages.map(\.added.count) == [4, 4, 2])
    #expect(try await store.status()?.lastError == nil)
  }

  @Test func `a reset makes a running sync send everything again`() async throws {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination())
    let samples = (0..<10).map { heartRate(60, at: Double($0)) }
    try await store.save(samples)
    let external = FaultyStore()
    let synchronizer = Synchronizer("d", of: store, to: external, policy: .pages(of: 4))
    _ = try await withRun(synchronizer) {
      _ = await reaches(synchronizer) { $0.state == .idle && $0.sent == 10 }
      try await destinations.reset("d")
      await external.reach { $0.acknowledged.added == 20 }
      _ = await reaches(synchronizer) { $0.state == .idle && $0.sent == 20 }
      #expect(try await store.status()?.sent == 10)
      // The user resets the destination while a page is sent: the records of that page are not counted as
      // sent.
      await external.atCarry { external in
        await external.atCarry(nil)
        try await destinations.reset("d")
      }
      try await store.save(burned(1, at: 0))
      await external.reach { $0.acknowledged.added >= 31 && $0.pages.last?.type == pulse }
      #expect(try await eventually { try await store.status()?.pending == 0 })
      #expect(try await store.status()?.sent == 11)
    }
  }

  @Test func `a destination is reset before the first page, and all samples supersede`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination())
    try await store.save((0..<6).map { heartRate(60, at: Double($0)) })
    let external = FaultyStore()
    let synchronizer = Synchronizer("d", of: store, to: external, policy: .pages(of: 4))
    try await synchronizer.runOnce()
    #expect(await external.resets == 0)
    #expect(await external.records.values.allSatisfy { !$0.supersedes })
    try await destinations.reset("d")
    try await store.save(heartRate(70, at: 9))
    await external.set(FaultyStore.Faults(resetting: 100))
    await #expect(throws: ExternalStoreError.self) {
      try await Synchronizer("d", of: store, to: external, clock: ImpatientClock()).runOnce()
    }
    // The failed reset was repeated at each attempt, and no page was sent.
    #expect(await external.resets == SyncPolicy().attemptsOfOneRun)
    #expect(await external.pages.count == 2)
    await external.set(FaultyStore.Faults())
    try await synchronizer.runOnce()
    #expect(await external.resets == SyncPolicy().attemptsOfOneRun + 1)
    #expect(
      await external.pages.dropFirst(2).map { $0.added.map(\.supersedes) } == [
        [true, true, true, true], [true, true, true],
      ])
    // A sample that is saved after the reset is not marked as a replacement of an earlier version.
    try await store.save(heartRate(71, at: 10))
    try await synchronizer.runOnce()
    #expect(await external.resets == SyncPolicy().attemptsOfOneRun + 1)
    #expect(await external.pages.last?.added.map(\.supersedes) == [false])
  }

  @Test func `a sample that is changed while it is sent is sent again as a replacement`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    try await SyncDestinations(store).add(destination())
    let monitor = HKSource(name: "M", bundleIdentifier: "org.hrgate.monitor.1")
    let setting = ClockSettingRecord(id: 1, boot: "b", origin: 0, start: 1_700_000_000_000_000)
    _ = try await store.saveReporting(
      [], with: MonitorChangesRecord(clock: ClockChangesRecord(settings: [setting])))
    _ = try await store.saveReporting([(monitor, [heartRate(60, at: 1)])], with: MonitorChangesRecord())
    let external = FaultyStore()
    let correction = ClockCorrectionRecord(
      setting: 1, ahead: 6_000_000, times: 1_700_000_000_000_000...1_700_000_010_000_000, shift: 6_000_000)
    await external.atCarry { external in
      await external.atCarry(nil)
      _ = try await store.saveReporting(
        [], with: MonitorChangesRecord(clock: ClockChangesRecord(corrections: [correction])))
    }
    try await Synchronizer("d", of: store, to: external).runOnce()
    #expect(await external.pages.map { $0.added.map(\.supersedes) } == [[false], [true]])
    let record = await external.records.values.first
    #expect(record?.sample.metadata?["org.hrgate.clock-ahead"] as? Double == 6)
    #expect(try await store.status()?.sent == 1)
  }

  @Test func `a reset by the user ends a pause`() async throws {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination())
    try await store.save(heartRate(60, at: 0))
    let external = FaultyStore()
    await external.set(
      FaultyStore.Faults(opening: 100), failure: ExternalStoreError("no right", outlook: .lasting))
    // Without the reset, the run would pause for five minutes.
    let synchronizer = Synchronizer("d", of: store, to: external)
    _ = try await withRun(synchronizer) {
      let progress = await reaches(synchronizer) {
        if case .waiting = $0.state { true } else { false }
      }
      #expect(
        progress?.state
          == .waiting(ExternalStoreError("no right", outlook: .lasting), pause: SyncPolicy().longestPause))
      #expect(try await eventually { try await store.status()?.state == .blocked })
      await external.set(FaultyStore.Faults())
      try await destinations.resetSetAside("d")
      await external.reach { $0.records.count == 1 }
    }
  }

  @Test func `a reset by the user retries dead letters immediately`() async throws {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination())
    try await store.save(heartRate(60, at: 0))
    let external = FaultyStore()
    await external.refuse { _ in true }
    let synchronizer = Synchronizer("d", of: store, to: external)
    _ = try await withRun(synchronizer) {
      _ = await reaches(synchronizer) { $0.state == .idle && $0.setAside == 1 }
      await external.refuse { _ in false }
      try await destinations.resetSetAside("d")
      await external.reach { $0.records.count == 1 }
      #expect(try await eventually { try await store.status()?.setAside == 0 })
    }
  }

  @Test func `a destination that is removed ends the run`() async throws {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination())
    let synchronizer = Synchronizer("d", of: store, to: FaultyStore())
    let run = Task { try await synchronizer.run() }
    _ = await reaches(synchronizer) { $0.state == .idle }
    try await destinations.remove("d")
    await #expect(throws: SyncDestinationError.unknown("d")) { try await run.value }
    await #expect(throws: SyncDestinationError.unknown("d")) { try await synchronizer.runOnce() }
  }

  @Test(arguments: [true, false])
  func `one program at a time syncs to a destination, and the next takes over`(isFile: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = isFile ? try HKHealthStore(storeAt: folder.path("s")) : try HKHealthStore.inMemory()
    let other = isFile ? try HKHealthStore(storeAt: folder.path("s")) : store
    try await SyncDestinations(store).add(destination())
    try await SyncDestinations(store).add(destination("e"))
    let external = FaultyStore()
    let second = Synchronizer("d", of: other, to: external, clock: ImpatientClock())
    let running = SyncDestinationError.running("d", process: getpid())
    var next: Task<Void, any Error>?
    let first = Synchronizer("d", of: store, to: external)
    _ = try await withRun(first) {
      _ = await reaches(first) { $0.state == .idle }
      await #expect(throws: running) { try await second.runOnce() }
      try await Synchronizer("e", of: other, to: FaultyStore()).runOnce()
      next = Task { try await second.run() }
      _ = await reaches(second) { $0.state == .elsewhere(process: getpid()) }
    }
    try await store.save(heartRate(60, at: 0))
    await external.reach { $0.records.count == 1 }
    next?.cancel()
    _ = await next?.result
  }
}
