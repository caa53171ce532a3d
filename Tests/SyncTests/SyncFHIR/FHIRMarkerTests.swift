import ExternalStores
import Foundation
import HealthDataSync
import Testing

@testable import HealthKit
@testable import TestSupport

/// Tests servers that lost data.
@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct FHIRMarkerTests {
  private let server: FHIRServer
  private let id = UUID()

  init() throws { server = try FHIRServer() }

  private func expected(_ sequence: Int64?) -> DestinationMarker {
    DestinationMarker(id: id, sequence: sequence)
  }

  private func page(
    _ number: Int64, _ added: [HKSample], deleted: [UUID] = [], supersedes: Bool = false
  ) -> ChangePage {
    let page = ChangePage(added, deleted: deleted, supersedes: supersedes)
    return ChangePage(type: page.type, deleted: page.deleted, added: page.added, marker: expected(number))
  }

  /// Returns a store that has sent two pages.
  private func sentTwo() async throws -> FHIRStore {
    let store = try server.store()
    #expect(try await store.open(expecting: expected(nil)) == 0)
    for number in 1...2 as ClosedRange<Int64> {
      #expect(try await store.upload(page(number, [heartRate(after: Double(number))])) == [])
    }
    return store
  }

  @Test func `a marker is a Device in the transaction of the page`() async throws {
    let store = try await sentTwo()
    #expect(try server.transactions().compactMap { $0["entries"] as? Int } == [1, 2, 2])
    let device = try #require(try server.resources("Device").first)
    #expect(try server.resources("Device").count == 1)
    #expect(((device["version"] as? [[String: Any]])?.first)?["value"] as? String == "2")
    // Pages with deletions or replacements also advance the marker, which tells whether the server lost data.
    #expect(try await store.upload(page(3, [], deleted: [UUID()])) == [])
    #expect(try await store.upload(page(4, [heartRate(after: 9)], supersedes: true)) == [])
    await store.close()
    #expect(try await server.store().open(expecting: expected(4)) == 4)
  }

  @Test func `a server that is empty again gets nothing`() async throws {
    try await sentTwo().close()
    for type in ["Device", "Observation"] { try server.forget(type) }
    let error = await storeError { _ = try await server.store().open(expecting: expected(2)) }
    #expect(error?.description.contains("the destination lost data") == true)
    #expect(error?.outlook == .lasting)
    #expect(try server.resources("Device").isEmpty)
    #expect(try await server.store().open(expecting: DestinationMarker()) == 0)
  }

  @Test func `a restored server is behind`() async throws {
    let store = try await sentTwo()
    #expect(try await store.upload(page(1, [heartRate(after: 3)])) == [])
    await store.close()
    #expect(try await server.store().open(expecting: expected(2)) == 1)
  }

  @Test func `a server without Device resources or without the right to search is trusted`() async throws {
    try server.set(["noDevices": true])
    let store = try server.store()
    #expect(try await store.open(expecting: expected(nil)) == nil)
    #expect(try await store.upload(ChangePage([heartRate()])) == [])
    await store.close()
    try server.set(["noDevices": false])
    try await sentTwo().close()
    try server.set(["noSearch": true])
    #expect(try await server.store().open(expecting: expected(2)) == 2)
    #expect(try await server.store().open(expecting: expected(5)) == 5)
  }

  @Test func `a server that accepts only the marker refuses no Observation`()
    async throws
  {
    let store = try server.store()
    _ = try await store.open(expecting: expected(nil))
    let samples = (0..<12).map { heartRate(after: Double($0)) }
    try server.set(["poison": samples.map { "urn:uuid:" + $0.uuid.uuidString.lowercased() }])
    for _ in 0..<3 {
      #expect(await storeError { _ = try await store.upload(page(1, samples)) } != nil)
    }
    #expect(try server.uuids() == [])
  }

  // MARK: - Blood pressures

  private func value(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKQuantitySample {
    quantity(type, value, "mmHg")
  }

  private func pressure() -> (whole: HKCorrelation, members: [HKQuantitySample]) {
    let members = [value(.bloodPressureSystolic, 121), value(.bloodPressureDiastolic, 79)]
    return (
      HKCorrelation(type: HKCorrelationType(.bloodPressure), start: start, end: start, objects: Set(members)),
      members
    )
  }

  private func page(of members: [HKQuantitySample], supersedes: Bool = false) -> [ChangePage] {
    members.map {
      ChangePage(
        type: $0.sampleType, deleted: [],
        added: [ExternalRecord(sample: $0, supersedes: supersedes, isInBloodPressure: true)])
    }
  }

  @Test func `a blood pressure is stored once, as a panel, and withdrawn as one`() async throws {
    let store = try server.store()
    try await store.open()
    let (whole, members) = pressure()
    for page in page(of: members) + [ChangePage([whole])] { #expect(try await store.upload(page) == []) }
    #expect(try server.uuids() == [whole.uuid.uuidString])
    let alone = value(.bloodPressureSystolic, 130)
    #expect(try await store.upload(ChangePage([alone])) == [])
    #expect(try server.uuids() == [whole, alone].map(\.uuid.uuidString).sorted())
    for sample in [whole, alone] + members as [HKSample] {
      let deletion = ChangePage(
        type: sample.sampleType, deleted: [HKDeletedObject(uuid: sample.uuid, metadata: nil)], added: [])
      #expect(try await store.upload(deletion) == [])
    }
    // The two values of the panel were never stored on their own, so their deletions withdraw nothing.
    #expect(try server.uuids() == [])
    #expect(try server.withdrawn() == [whole, alone].map(\.uuid.uuidString).sorted())
    await store.close()
  }

  @Test func `a reset withdraws the values that earlier versions sent beside the panel`() async throws {
    let store = try server.store()
    try await store.open()
    let (whole, members) = pressure()
    for member in members { _ = try await store.upload(ChangePage([member])) }
    _ = try await store.upload(ChangePage([whole]))
    #expect(try server.uuids().count == 3)
    for page in page(of: members, supersedes: true) + [ChangePage([whole], supersedes: true)] {
      #expect(try await store.upload(page) == [])
    }
    #expect(try server.uuids() == [whole.uuid.uuidString])
    await store.close()
  }
}
