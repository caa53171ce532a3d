import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests single runs and their guarantees.
@Suite(.timeLimit(.minutes(30))) struct SynchronizerTests {
  private func store(_ destinations: SyncDestination...) async throws -> HKHealthStore {
    let store = try HKHealthStore.inMemory()
    for destination in destinations { try await SyncDestinations(store).add(destination) }
    return store
  }

  @Test func `existing samples are sent in pages, then new ones`() async throws {
    let store = try await store(destination())
    let samples = (0..<25).map { heartRate(60 + Double($0), at: Double($0)) }
    try await store.save(samples)
    let external = FaultyStore()
    let synchronizer = Synchronizer("d", of: store, to: external, policy: .pages(of: 10))
    try await synchronizer.runOnce()
    #expect(await external.pages.map(\.added.count) == [10, 10, 5])
    #expect(await external.uuids == Set(samples.map(\.uuid)))
    #expect(await external.pages[0].added.map(\.sample.uuid) == samples[..<10].map(\.uuid))
    try await store.save(heartRate(99, at: -1000))
    try await store.delete(samples[3])
    try await synchronizer.runOnce()
    #expect(try await external.uuids == store.uuids(of: [pulse]))
    let status = try #require(try await store.status())
    #expect(status.sent == 26 && status.deleted == 1 && status.setAside == 0 && status.pending == 0)
    #expect(status.state == .current && status.kind == "file" && status.lastError == nil)
    #expect(status.lastSuccess != nil && status.since == nil && status.types == nil)
    #expect(await !external.isOpen)
  }

  @Test func `a failed page does not count as sent and is repeated`() async throws {
    let store = try await store(destination())
    try await store.save((0..<7).map { heartRate(60, at: Double($0)) })
    let external = FaultyStore()
    await external.set(FaultyStore.Faults(after: 100))
    let clock = ImpatientClock()
    let synchronizer = Synchronizer(
      "d", of: store, to: external, policy: .pages(of: 3), clock: clock, generator: SeededGenerator(seed: 4))
    await #expect(throws: ExternalStoreError.self) { try await synchronizer.runOnce() }
    #expect(clock.sleeps.count == SyncPolicy().attemptsOfOneRun - 1)
    let status = try #require(try await store.status())
    #expect(status.sent == 0 && status.pending == 7 && status.state == .failing)
    #expect(status.lastError == "the server is away" && status.since != nil && status.lastSuccess == nil)
    #expect(await external.pages.allSatisfy { $0.added.count == 3 })
    await external.set(FaultyStore.Faults())
    try await synchronizer.runOnce()
    #expect(try await external.uuids == store.uuids(of: [pulse]))
    #expect(try await store.status()?.sent == 7)
  }

  @Test func `a refused record becomes a dead letter, and the others are sent`() async throws {
    let store = try await store(destination())
    let samples = (0..<9).map { heartRate(60, at: Double($0)) }
    try await store.save(samples)
    let external = FaultyStore()
    let unloved = Set([samples[1].uuid, samples[4].uuid])
    await external.refuse { unloved.contains($0) }
    let synchronizer = Synchronizer("d", of: store, to: external, policy: .pages(of: 2))
    try await synchronizer.runOnce()
    let destinations = try SyncDestinations(store)
    let first = try #require(try await store.status())
    #expect(first.sent == 7 && first.setAside == 2 && first.pending == 0 && first.lastError == nil)
    #expect(try await Set(destinations.setAside("d").map(\.uuid)) == unloved)
    #expect(
      try await destinations.setAside("d").allSatisfy { $0.reason == "not of my kind" && $0.attempts == 1 })
    // Each run retries the refused records.
    try await synchronizer.runOnce()
    #expect(try await destinations.setAside("d").map(\.attempts) == [2, 2])
    // One refused record is deleted, and the other is accepted at the next attempt.
    try await store.delete(samples[1])
    await external.refuse { _ in false }
    try await synchronizer.runOnce()
    let last = try #require(try await store.status())
    #expect(last.sent == 8 && last.setAside == 0 && last.deleted == 1 && last.pending == 0)
    #expect(try await external.uuids == store.uuids(of: [pulse]))
  }

  @Test func `two destinations of one type do not disturb each other`() async throws {
    let store = try await store(destination("a"), destination("b", types: [pulse]))
    try await store.save((0..<5).map { heartRate(60, at: Double($0)) })
    let (one, other) = (FaultyStore(), FaultyStore())
    try await Synchronizer("a", of: store, to: one).runOnce()
    try await store.save((5..<9).map { heartRate(60, at: Double($0)) } + [burned(1, at: 0)])
    try await Synchronizer("b", of: store, to: other).runOnce()
    #expect(await one.records.count == 5)
    #expect(await other.records.count == 9)
    #expect(try await store.status("a")?.pending == 5)
    try await Synchronizer("a", of: store, to: one).runOnce()
    #expect(await one.records.count == 10)
  }

  @Test func `only the selected samples are sent`() async throws {
    let from = Date(timeIntervalSince1970: 1_700_000_003)
    let store = try await store(destination("from", from: from), destination("sources", sources: ["unknown"]))
    try await store.save((0..<6).map { heartRate(60, at: Double($0)) })
    let (one, other) = (FaultyStore(), FaultyStore())
    #expect(try await store.status("from")?.pending == 3)
    #expect(try await store.status("sources")?.pending == 0)
    try await Synchronizer("from", of: store, to: one).runOnce()
    try await Synchronizer("sources", of: store, to: other).runOnce()
    #expect(await one.records.values.allSatisfy { $0.sample.startDate >= from })
    #expect(await one.records.count == 3)
    #expect(await other.records.isEmpty)
    #expect(await other.pages.isEmpty)
  }

  @Test func `a lasting failure ends a run immediately and is reported`() async throws {
    let store = try await store(destination())
    try await store.save(heartRate(60, at: 0))
    let external = FaultyStore()
    let failure = ExternalStoreError("the password is wrong: correct it", outlook: .lasting)
    await external.set(FaultyStore.Faults(opening: 100), failure: failure)
    await #expect(throws: failure) { try await Synchronizer("d", of: store, to: external).runOnce() }
    #expect(await external.opened == 1)
    #expect(try await store.status()?.state == .blocked)
    #expect(try await store.status()?.lastError == failure.description)
    // A run without pending samples also clears the failure that an earlier run has stored.
    try await store.delete(store.samples(of: pulse))
    await external.set(FaultyStore.Faults())
    try await Synchronizer("d", of: store, to: external).runOnce()
    #expect(try await store.status()?.state == .current)
  }

  @Test func `beats are sent with their series, and pages are limited by bytes`() async throws {
    let store = try await store(destination())
    for series in 0..<6 {
      let builder = HKHeartbeatSeriesBuilder(
        healthStore: store, device: nil,
        start: Date(timeIntervalSince1970: 1_700_000_000 + Double(series) * 900))
      for beat in 0..<500 {
        try await builder.addHeartbeat(at: Double(beat) * 0.75, precededByGap: beat == 7)
      }
      _ = try await builder.finishSeries()
    }
    let external = FaultyStore()
    let policy = SyncPolicy.pages(of: 1000, bytes: 30_000)
    try await Synchronizer("d", of: store, to: external, policy: policy).runOnce()
    #expect(await external.pages.map(\.added.count) == [2, 2, 2])
    for record in await external.records.values {
      guard case .heartbeats(let beats) = record.series else {
        Issue.record("a series without beats")
        continue
      }
      #expect(beats.count == 500 && beats[2].timeSinceStart == 1.5 && beats[7].precededByGap)
      #expect(beats.filter(\.precededByGap).count == 1)
    }
  }

  @Test func `the quantities of a series are sent with it`() async throws {
    let store = try await store(destination())
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let builder = HKQuantitySeriesSampleBuilder(
      healthStore: store, quantityType: pulse, startDate: start, device: nil)
    for second in 0..<20 {
      try builder.insert(
        HKQuantity(unit: beatsPerMinute, doubleValue: 60 + Double(second)),
        at: start.addingTimeInterval(Double(second)))
    }
    _ = try await builder.finishSeries(metadata: nil)
    let external = FaultyStore()
    try await Synchronizer("d", of: store, to: external).runOnce()
    guard case .quantities(let quantities) = await external.records.values.first?.series else {
      Issue.record("a series without quantities")
      return
    }
    #expect(quantities.map(\.value) == (0..<20).map { 60 + Double($0) })
    #expect(quantities[3].interval.start == start.addingTimeInterval(3))
  }
}

extension HKHealthStore {
  fileprivate func samples(of type: HKSampleType) async throws -> [HKSample] {
    try await HKSampleQueryDescriptor(predicates: [.sample(type: type)], sortDescriptors: []).result(
      for: self)
  }
}
