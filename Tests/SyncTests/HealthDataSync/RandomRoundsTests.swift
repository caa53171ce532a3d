import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests sync with random failures in random order. In the end the external stores have the same samples as
/// the health store, and the counts are correct.
@Suite(.timeLimit(.minutes(30))) struct RandomRoundsTests {
  /// A health store that changes, its two destinations, and their external stores.
  private struct Life {
    var generator: SeededGenerator
    let store: HKHealthStore
    let stores: [String: FaultyStore]
    var kept: [HKQuantitySample] = []
    var version = 0

    init(seed: UInt64) async throws {
      generator = SeededGenerator(seed: seed)
      store = try HKHealthStore.inMemory()
      stores = ["a": FaultyStore(seed: seed), "b": FaultyStore(seed: seed + 1000)]
      let destinations = try SyncDestinations(store)
      for name in stores.keys { try await destinations.add(destination(name)) }
    }

    /// Saves, backdates, replaces and deletes random samples.
    mutating func use() async throws {
      var samples: [HKQuantitySample] = []
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        let time = Double(Int.random(in: -100_000...100_000, using: &generator))
        if Bool.random(using: &generator) {
          samples.append(burned(1, at: time))
        } else if Int.random(in: 0..<4, using: &generator) == 0 {
          version += 1
          let identifier = "s\(Int.random(in: 0..<5, using: &generator))"
          samples.append(
            heartRate(
              61, at: time,
              metadata: [HKMetadataKeySyncIdentifier: identifier, HKMetadataKeySyncVersion: version]))
        } else {
          samples.append(heartRate(60, at: time))
        }
      }
      if !samples.isEmpty { try await store.save(samples) }
      let there = try await store.uuids(of: [pulse, energy])
      kept = (kept + samples).filter { there.contains($0.uuid) }
      let doomed = kept.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
      if !doomed.isEmpty { try await store.delete(doomed) }
      let gone = Set(doomed.map(\.uuid))
      kept.removeAll { gone.contains($0.uuid) }
    }

    /// Runs a sync with random failures, which can also cancel it. The result of the run is ignored.
    mutating func upload(to name: String) async throws {
      guard let external = stores[name] else { return }
      func percent() -> Int { Int.random(in: 0..<3, using: &generator) == 0 ? 30 : 0 }
      await external.set(
        FaultyStore.Faults(
          opening: percent(), before: percent(), midway: percent(), after: percent(), cancelling: percent()))
      let synchronizer = Synchronizer(
        name, of: store, to: external, policy: .pages(of: Int.random(in: 1...9, using: &generator)),
        clock: ImpatientClock(), generator: SeededGenerator(seed: generator.next()))
      let run = Task { try await synchronizer.runOnce() }
      await external.canCancel(run)
      _ = await run.result
      await external.canCancel(nil)
    }

    func settle(_ name: String) async throws {
      guard let external = stores[name] else { return }
      await external.set(FaultyStore.Faults())
      try await Synchronizer(name, of: store, to: external, policy: .pages(of: 5)).runOnce()
    }
  }

  @Test(arguments: 0..<(isLongRun ? 40 : 10))
  func `both stores have the same samples in the end`(seed: UInt64) async throws {
    var life = try await Life(seed: seed)
    for external in life.stores.values {
      await external.refuse { $0.uuid.15 % 5 == 0 }
    }
    for _ in 0..<10 {
      try await life.use()
      for name in ["a", "b"] where Int.random(in: 0..<3, using: &life.generator) > 0 {
        try await life.upload(to: name)
      }
      if Int.random(in: 0..<15, using: &life.generator) == 0 {
        try await SyncDestinations(life.store).resetSetAside("a")
      }
    }
    let there = try await life.store.uuids(of: [pulse, energy])
    for (name, external) in life.stores {
      try await life.settle(name)
      let status = try #require(try await life.store.status(name))
      let refused = there.filter { $0.uuid.15 % 5 == 0 }
      #expect(await external.uuids == there.subtracting(refused))
      #expect(status.pending == 0 && status.state == .current)
      #expect(status.setAside == refused.count)
      // Each acknowledged record was counted once.
      let taken = await external.acknowledged
      #expect(status.sent == taken.added && status.deleted == taken.deleted)
      await external.refuse { _ in false }
      try await life.settle(name)
      #expect(await external.uuids == there)
      #expect(try await life.store.status(name)?.setAside == 0)
      #expect(try await life.store.status(name)?.sent == taken.added + refused.count)
    }
  }
}
