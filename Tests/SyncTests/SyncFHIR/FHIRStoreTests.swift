import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct FHIRStoreTests {
  @Test func `a page that is sent several times is stored once`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let page = ChangePage((0..<7).map { heartRate(after: Double($0), device: strap) })
    for _ in 0..<3 {
      try await store.open()
      #expect(try await store.upload(page) == [])
      await store.close()
    }
    #expect(try server.uuids() == page.added.map(\.sample.uuid.uuidString).sorted())
    #expect(try server.resources("Device").count == 1)
  }

  @Test func `a sample that is twice in a page is stored once`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let sample = heartRate()
    try await store.open()
    #expect(try await store.upload(ChangePage([sample, sample])) == [])
    #expect(try server.uuids() == [sample.uuid.uuidString])
    await store.close()
  }

  @Test func `deleted samples are withdrawn, and unknown ones are not an error`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let samples = (0..<3).map { heartRate(after: Double($0)) }
    try await store.open()
    #expect(try await store.upload(ChangePage(samples)) == [])
    let page = ChangePage([samples[0]], deleted: [samples[0].uuid, samples[1].uuid, UUID()])
    #expect(try await store.upload(page) == [])
    // A page's deletions are applied first, so the sample that is both deleted and added is stored.
    #expect(try server.uuids() == [samples[0], samples[2]].map(\.uuid.uuidString).sorted())
    let gone = try server.resources("Observation").filter { $0["status"] as? String == "entered-in-error" }
    #expect(gone.count == 2)
    #expect(gone.allSatisfy { $0["valueQuantity"] == nil && $0["effectiveDateTime"] == nil })
    await store.close()
  }

  @Test func `bundles are limited by entries and by bytes`() async throws {
    let server = try FHIRServer()
    let page = ChangePage((0..<25).map { heartRate(after: Double($0)) })
    let few = try server.store { $0.entries = 10 }
    try await few.open()
    #expect(try await few.upload(page) == [])
    await few.close()
    #expect(try server.transactions().map { $0["entries"] as? Int } == [10, 10, 5])
    let small = try server.store { $0.bytes = 1 }
    try await small.open()
    #expect(try await small.upload(page) == [])
    await small.close()
    #expect(
      try server.transactions().dropFirst(3).map { $0["entries"] as? Int } == Array(repeating: 1, count: 25))
  }

  // MARK: - Refusals

  @Test(arguments: [true, false], [400, 412, 413, 422])
  func `an entry that the server refuses does not affect the others`(
    isLocated: Bool, status: Int
  ) async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let samples = (0..<40).map { heartRate(173, after: Double($0)) }
    let bad = [3, 17, 18].map { samples[$0].uuid }
    try server.set([
      "refuse": bad.map { "urn:uuid:" + $0.uuidString.lowercased() }, "refuseStatus": status,
      "locates": isLocated,
    ])
    try await store.open()
    let rejections = try await store.upload(ChangePage(samples))
    #expect(Set(rejections.map(\.uuid)) == Set(bad))
    #expect(rejections.count == 3)
    for rejection in rejections {
      #expect(rejection.reason.contains("\(status)"))
      #expect(rejection.reason.contains("invalid"))
      #expect(!rejection.reason.contains("173"), "no values in what the user reads")
    }
    let taken = samples.map(\.uuid).filter { !bad.contains($0) }
    #expect(try server.uuids() == taken.map(\.uuidString).sorted())
    await store.close()
  }

  @Test func `a server that names the bad entry gets fewer requests`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let samples = (0..<64).map { heartRate(after: Double($0)) }
    try server.set(["refuse": ["urn:uuid:" + samples[9].uuid.uuidString.lowercased()], "locates": true])
    try await store.open()
    #expect(try await store.upload(ChangePage(samples)).map(\.uuid) == [samples[9].uuid])
    #expect(try server.transactions().map { $0["entries"] as? Int } == [64, 63, 1])
    await store.close()
  }

  @Test func `a refused entry in an accepted transaction counts as refused`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let samples = (0..<5).map { heartRate(after: Double($0)) }
    try server.set(["brokenEntry": 2])
    try await store.open()
    #expect(try await store.upload(ChangePage(samples)).map(\.uuid) == [samples[2].uuid])
    await store.close()
  }

  @Test func `duplicates on the server are reported and not deleted`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let samples = [heartRate(), heartRate(after: 1)]
    try await store.open()
    #expect(try await store.upload(ChangePage([samples[0]])) == [])
    try server.double()
    let rejections = try await store.upload(ChangePage([samples[1]], deleted: [samples[0].uuid]))
    #expect(rejections.map(\.uuid) == [samples[0].uuid])
    #expect(try server.uuids().contains(samples[1].uuid.uuidString))
    await store.close()
  }

  @Test func `a conflict is retried once`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    try server.befall([["status": 409]])
    #expect(try await store.upload(ChangePage([heartRate()])) == [])
    #expect(try server.uuids().count == 1)
    await store.close()
  }

  @Test func `a type without a FHIR mapping is refused, and the others arrive`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    let workout = HKStateOfMind(
      date: start, kind: .momentaryEmotion, valence: 0.5, labels: [], associations: [])
    try await store.open()
    let rejections = try await store.upload(ChangePage([workout, heartRate()]))
    #expect(rejections.map(\.uuid) == [workout.uuid])
    #expect(rejections.first?.reason.contains(workout.sampleType.identifier) == true)
    #expect(try server.uuids().count == 1)
    await store.close()
  }

  // MARK: - Subjects

  @Test func `a removed subject is an error of the page and refuses no sample`() async throws {
    let server = try FHIRServer()
    let store = try server.store("?subject=Patient/123")
    try await store.open()
    try server.set(["patients": [String]()])
    let page = ChangePage([heartRate(device: strap), heartRate(after: 1)])
    #expect(await storeError { _ = try await store.upload(page) }?.outlook == .lasting)
    try server.set(["patients": ["123"]])
    #expect(try await store.upload(page) == [])
    #expect(try server.uuids().count == 2)
    await store.close()
  }
}
