import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests destinations that lost data.
@Suite(.timeLimit(.minutes(30))) struct MarkerTests {
  private let store: HKHealthStore
  private let external = FaultyStore()
  private let samples = (0..<6).map { heartRate(60, at: Double($0)) }

  init() async throws {
    store = try HKHealthStore.inMemory()
    try await SyncDestinations(store).add(destination())
  }

  private func run() async throws {
    try await Synchronizer("d", of: store, to: external, policy: .pages(of: 2), clock: ImpatientClock())
      .runOnce()
  }

  private func failure(_ body: () async throws -> Void) async -> ExternalStoreError? {
    do {
      try await body()
      return nil
    } catch { return error as? ExternalStoreError }
  }

  @Test func `a destination that is empty again gets nothing until it is reset`() async throws {
    try await store.save(Array(samples[..<4]))
    try await run()
    #expect(await external.markers.values.map(\.self) == [2])
    await external.lose()
    try await store.save(Array(samples[4...]))
    let error = await failure { try await run() }
    #expect(error?.description.contains("the destination lost data") == true)
    #expect(error?.description.contains("mount its disk, or run sync reset") == true)
    #expect(error?.outlook == .lasting)
    #expect(await external.records.isEmpty)
    #expect(await external.markers.isEmpty)
    let status = try #require(try await store.status())
    #expect(status.state == .blocked && status.pending == 2 && status.sent == 4)
    try await SyncDestinations(store).reset("d")
    try await run()
    #expect(await external.uuids == Set(samples.map(\.uuid)))
    #expect(try await store.status()?.state == .current)
    // The new marker that the reset created in the destination is also checked.
    await external.lose()
    #expect(await failure { try await run() }?.outlook == .lasting)
  }

  @Test func `after its disk is mounted again, a sync continues`() async throws {
    try await store.save(samples)
    try await run()
    let disk = await external.backup
    await external.lose()
    #expect(await failure { try await run() } != nil)
    await external.restore(disk)
    try await run()
    #expect(try await store.status()?.state == .current)
    #expect(await external.pages.count == 3, "nothing is sent twice")
  }

  @Test func `a restored backup is detected, also if only one page is missing`() async throws {
    try await store.save(Array(samples[..<4]))
    try await run()
    let backup = await external.backup
    try await store.save(samples[4])
    try await run()
    await external.restore(backup)
    #expect(await failure { try await run() }?.description.contains("lost data") == true)
    #expect(await external.uuids == Set(samples[..<4].map(\.uuid)))
  }

  @Test func `a destination that lost its data before the first page is detected`() async throws {
    try await run()
    #expect(await external.markers.values.map(\.self) == [0])
    await external.lose()
    try await store.save(samples)
    #expect(await failure { try await run() }?.description.contains("lost data") == true)
    #expect(await external.records.isEmpty)
  }

  @Test func `a page that arrived without an acknowledgment is not data loss`() async throws {
    try await store.save(samples)
    await external.set(FaultyStore.Faults(after: 100))
    #expect(await failure { try await run() }?.outlook == .passing)
    await external.set(FaultyStore.Faults())
    try await run()
    #expect(try await store.status()?.sent == 6)
    try await store.save(heartRate(61, at: 100))
    try await run()
    #expect(try await store.status()?.state == .current)
  }

  @Test func `a destination without markers is trusted`() async throws {
    await external.holdNoMarkers()
    try await store.save(Array(samples[..<4]))
    try await run()
    await external.lose()
    try await store.save(Array(samples[4...]))
    try await run()
    #expect(await external.uuids == Set(samples[4...].map(\.uuid)))
  }

  @Test func `a dead letter that is accepted later also advances the marker`() async throws {
    let refused = samples[0].uuid
    await external.refuse { $0 == refused }
    try await store.save(Array(samples[..<2]))
    try await run()
    let before = await external.backup
    await external.refuse { _ in false }
    try await run()
    #expect(await external.uuids.contains(refused))
    await external.restore(before)
    #expect(await failure { try await run() }?.description.contains("lost data") == true)
  }

  @Test func `a reset during a run starts with a new marker`() async throws {
    try await store.save(samples)
    let external = external
    let (store, clock) = (store, ImpatientClock())
    let run = Task { try await Synchronizer("d", of: store, to: external, clock: clock).run() }
    defer { run.cancel() }
    await external.reach { $0.records.count == 6 }
    try await SyncDestinations(store).reset("d")
    await external.reach { $0.acknowledged.added == 12 }
    try await store.save(heartRate(61, at: 100))
    await external.reach { $0.records.count == 7 }
    #expect(await external.markers.count == 2)
    run.cancel()
    _ = await run.result
    #expect(try await store.status()?.state == .current)
  }
}
