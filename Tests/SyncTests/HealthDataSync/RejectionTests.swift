import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests types and samples that a destination never accepts.
@Suite(.timeLimit(.minutes(30))) struct RejectionTests {
  private let store: HKHealthStore
  private let external = FaultyStore()

  init() async throws {
    store = try HKHealthStore.inMemory()
  }

  private func add(_ destination: SyncDestination) async throws {
    try await SyncDestinations(store).add(destination)
  }

  private func run() async throws {
    try await Synchronizer("d", of: store, to: external, policy: .pages(of: 5)).runOnce()
  }

  @Test func `a rejected type is counted, and its samples are neither sent nor retried`() async throws {
    try await add(destination())
    external.reject([energy: "no energies"])
    try await store.save((0..<3).map { heartRate(60, at: Double($0)) })
    try await store.save((0..<12).map { burned(1, at: Double($0)) })
    try await run()
    #expect(await external.pages.allSatisfy { $0.type == pulse })
    var status = try #require(try await store.status())
    #expect(status.sent == 3 && status.setAside == 0 && status.pending == 0 && status.state == .current)
    #expect(
      status.rejections.map(\.type) == [energy.identifier] && status.rejections.first?.samples == 12
        && status.rejections.first?.reason == "no energies")
    // The count includes a sample of the rejected type that was saved after the first run.
    try await store.save(burned(1, at: 100))
    try await run()
    status = try #require(try await store.status())
    #expect(status.rejections.first?.samples == 13 && status.state == .current)
    // A later version of the destination accepts the type, so all of its samples are sent.
    external.reject([:])
    try await run()
    status = try #require(try await store.status())
    #expect(status.rejections.isEmpty && status.sent == 16)
    #expect(try await external.uuids == store.uuids(of: [pulse, energy]))
  }

  @Test func `dead letters of a type are removed when the destination rejects the type`()
    async throws
  {
    try await add(destination())
    let energies = (0..<7).map { burned(1, at: Double($0)) }
    try await store.save(energies)
    let uuids = Set(energies.map(\.uuid))
    await external.refuse { uuids.contains($0) }
    try await run()
    #expect(try await store.status()?.setAside == 7)
    external.reject([energy: "no energies"])
    try await run()
    var status = try #require(try await store.status())
    #expect(status.setAside == 0 && status.rejections.first?.samples == 7)
    await external.refuse { _ in false }
    external.reject([:])
    try await run()
    status = try #require(try await store.status())
    #expect(status.sent == 7 && status.rejections.isEmpty && status.state == .current)
  }

  @Test func `a destination that rejected all samples is not current`() async throws {
    try await add(destination())
    try await store.save(burned(1, at: 0))
    external.reject([energy: "no energies"])
    try await run()
    #expect(try await store.status()?.state == .blocked)
    external.reject([:])
    await external.refuse { _ in true }
    try await run()
    let status = try #require(try await store.status())
    #expect(status.state == .blocked && status.setAside == 1 && status.lastError == nil)
    await external.refuse { _ in false }
    try await run()
    #expect(try await store.status()?.state == .current)
  }

  @Test func `a permanently rejected sample is counted by its reason and not retried`() async throws {
    try await add(destination())
    await external.rejectForGood { $0.startDate < Date(timeIntervalSince1970: 1_700_000_002) }
    try await store.save((0..<5).map { heartRate(60, at: Double($0)) })
    try await run()
    try await run()
    let status = try #require(try await store.status())
    #expect(status.sent == 3 && status.setAside == 0 && status.state == .current)
    #expect(status.rejections.map(\.samples) == [2] && status.rejections.map(\.reason) == ["never"])
    #expect(await external.pages.count == 1)
    try await SyncDestinations(store).reset("d")
    await external.rejectForGood { _ in false }
    try await run()
    #expect(try await store.status()?.rejections.isEmpty == true)
  }

  @Test func `samples of an excluded type are not sent`() async throws {
    try await add(destination(excluding: [energy]))
    #expect(try await SyncDestinations(store).list().first?.excludedTypes == [energy])
    try await store.save([heartRate(60, at: 0)])
    try await store.save(burned(1, at: 0))
    try await run()
    try await store.save(burned(1, at: 1))
    try await run()
    let status = try #require(try await store.status())
    #expect(status.sent == 1 && status.pending == 0 && status.state == .current && status.rejections.isEmpty)
    #expect(await external.pages.map(\.type) == [pulse])
  }

  @Test(arguments: [true, false])
  func `the values of a blood pressure are marked if the blood pressure is sent too`(both: Bool) async throws
  {
    let systolic = HKQuantityType(.bloodPressureSystolic)
    try await add(destination(excluding: both ? [] : [HKCorrelationType(.bloodPressure)]))
    let time = Date(timeIntervalSince1970: 1_700_000_000)
    func value(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKQuantitySample {
      HKQuantitySample(
        type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
        start: time, end: time)
    }
    let members = [value(.bloodPressureSystolic, 121), value(.bloodPressureDiastolic, 79)]
    let alone = value(.bloodPressureSystolic, 130)
    try await store.save(
      HKCorrelation(
        type: HKCorrelationType(.bloodPressure), start: time, end: time, objects: Set(members)))
    try await store.save(alone)
    try await run()
    let marked = await external.records.filter(\.value.isInBloodPressure).keys
    #expect(Set(marked) == (both ? Set(members.map(\.uuid)) : []))
    #expect(await external.records[alone.uuid]?.sample.sampleType == systolic)
  }
}
