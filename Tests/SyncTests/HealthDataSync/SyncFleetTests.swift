import Foundation
import HealthKit
import Synchronization
import Testing

@testable import HealthDataSync
@testable import TestSupport

/// Tests concurrent sync to all destinations.
@Suite(.timeLimit(.minutes(30))) struct SyncFleetTests {
  /// The external stores and their events by destination name, and the names of the destinations whose
  /// accompanying task runs.
  private final class Stage: Sendable {
    private struct State {
      var stores: [String: FaultyStore] = [:]
      var made: [String: Int] = [:]
      var reported: [String: [SyncProgress.State]] = [:]
      var accompanied: Set<String> = []
    }

    private let state = Mutex(State())

    func store(_ name: String) -> FaultyStore {
      state.withLock { state in
        if let store = state.stores[name] { return store }
        let store = FaultyStore()
        state.stores[name] = store
        return store
      }
    }

    func make(_ destination: SyncDestination) -> FaultyStore {
      state.withLock { $0.made[destination.name, default: 0] += 1 }
      return store(destination.name)
    }

    func record(_ destination: SyncDestination, _ progress: SyncProgress) {
      state.withLock { $0.reported[destination.name, default: []].append(progress.state) }
    }

    func accompany(_ destination: SyncDestination) async {
      state.withLock { _ = $0.accompanied.insert(destination.name) }
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      for await _ in ends {}
      withExtendedLifetime(end) {}
      state.withLock { _ = $0.accompanied.remove(destination.name) }
    }

    func made(_ name: String) -> Int { state.withLock { $0.made[name] ?? 0 } }
    func reported(_ name: String) -> [SyncProgress.State] { state.withLock { $0.reported[name] ?? [] } }
    var accompanied: Set<String> { state.withLock(\.accompanied) }
  }

  private func run(
    _ store: HKHealthStore, _ stage: Stage, _ names: Set<String>? = nil, _ body: () async throws -> Void
  ) async throws {
    let fleet = SyncFleet(
      store, clock: ImpatientClock(), makeStore: { stage.make($0) }, beside: { await stage.accompany($0) },
      listener: { stage.record($0, $1) })
    let running = Task { try await fleet.run(names) }
    do {
      try await body()
    } catch {
      running.cancel()
      throw error
    }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test func `a failing destination does not affect another`() async throws {
    let store = try HKHealthStore.inMemory()
    let (destinations, stage) = (try SyncDestinations(store), Stage())
    for name in ["a", "b"] { try await destinations.add(destination(name)) }
    try await store.save([heartRate(60, at: 0), heartRate(61, at: 1)])
    let broken = FaultyStore.Faults(opening: 100)
    await stage.store("a").set(broken)
    try await run(store, stage) {
      await stage.store("b").reach { $0.records.count == 2 }
      #expect(await eventually { await stage.store("a").opened > 3 })
      #expect(await stage.store("a").records.isEmpty)
      await stage.store("a").set(FaultyStore.Faults())
      await stage.store("a").reach { $0.records.count == 2 }
    }
    #expect(stage.reported("b").last == .ended)
    #expect(await !stage.store("a").isOpen)
    #expect(stage.accompanied.isEmpty)
  }

  @Test func `a destination can be added, removed and added again during a run`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let (destinations, stage) = (try SyncDestinations(store), Stage())
    try await store.save(heartRate(60, at: 0))
    try await run(store, stage) {
      try await destinations.add(destination("a"))
      await stage.store("a").reach { $0.records.count == 1 }
      #expect(await eventually { stage.accompanied == ["a"] })
      try await destinations.remove("a")
      #expect(await eventually { stage.accompanied.isEmpty && stage.reported("a").last == .ended })
      try await destinations.add(destination("a"))
      #expect(await eventually { stage.made("a") == 2 && stage.accompanied == ["a"] })
      #expect(await eventually { await stage.store("a").pages.count == 2 })
    }
  }

  @Test func `a run ends if its destination is replaced by another with the same name`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination())
    let listed = try #require(try await destinations.listed().first)
    try await destinations.remove("d")
    try await destinations.add(destination())
    try await store.save(heartRate(60, at: 0))
    let external = FaultyStore()
    let run = Synchronizer(
      "d", id: listed.id, of: store, to: external, policy: SyncPolicy(), clock: ImpatientClock())
    await #expect(throws: SyncDestinationError.unknown("d")) { try await run.run() }
    #expect(await external.opened == 0)
  }

  @Test func `a destination that cannot be opened can be removed`() async throws {
    let store = try HKHealthStore.inMemory()
    let (destinations, stage) = (try SyncDestinations(store), Stage())
    try await destinations.add(destination("a"))
    await stage.store("a").set(FaultyStore.Faults(opening: 100))
    try await run(store, stage) {
      #expect(await eventually { await stage.store("a").opened > 1 })
      try await destinations.remove("a")
      #expect(await eventually { stage.reported("a").last == .ended && stage.accompanied.isEmpty })
    }
  }

  @Test func `a run with names syncs only these destinations`() async throws {
    let store = try HKHealthStore.inMemory()
    let (destinations, stage) = (try SyncDestinations(store), Stage())
    for name in ["a", "b"] { try await destinations.add(destination(name)) }
    try await store.save(heartRate(60, at: 0))
    try await run(store, stage, ["b"]) { await stage.store("b").reach { $0.records.count == 1 } }
    #expect(stage.made("a") == 0)
  }
}
