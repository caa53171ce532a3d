import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests deleted samples that arrive again, and changed samples.
@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct WithdrawalTests {
  private let server: FHIRServer

  init() throws { server = try FHIRServer() }

  private func opened(_ gateway: String = "cellar") async throws -> FHIRStore {
    let store = try server.store(gateway: gateway)
    try await store.open()
    return store
  }

  @Test func `a sample that was deleted before it arrived is not stored`() async throws {
    let (cellar, attic) = (try await opened(), try await opened("attic"))
    let (late, other) = (heartRate(), heartRate(after: 1))
    for _ in 0..<2 { #expect(try await cellar.upload(ChangePage([], deleted: [late.uuid])) == []) }
    #expect(try await attic.upload(ChangePage([late, other])) == [])
    // The deleted sample is not stored as a replacement either.
    #expect(try await attic.upload(ChangePage([late, other], supersedes: true)) == [])
    #expect(try server.uuids() == [other.uuid.uuidString])
    #expect(try server.withdrawn() == [late.uuid.uuidString])
    await cellar.close()
    await attic.close()
  }

  @Test func `gateways with the same name withdraw separately`() async throws {
    let gateways = try ["1", "2"].map { try server.store(id: $0) }
    for gateway in gateways { try await gateway.open() }
    let sample = heartRate()
    #expect(try await gateways[0].upload(ChangePage([], deleted: [sample.uuid])) == [])
    #expect(try await gateways[1].upload(ChangePage([sample])) == [])
    #expect(try server.uuids() == [])
    // Only the gateway that has withdrawn the sample can add it again.
    #expect(try await gateways[0].upload(ChangePage([sample])) == [])
    #expect(try server.uuids() == [sample.uuid.uuidString])
    for gateway in gateways { await gateway.close() }
  }

  @Test func `the same sample of two persons is two Observations`() async throws {
    try server.set(["patients": ["123", "124"]])
    let sample = heartRate()
    let stores = try ["123", "124"].map { try server.store("?subject=Patient/\($0)") }
    for store in stores {
      try await store.open()
      for supersedes in [false, false, true] {
        #expect(try await store.upload(ChangePage([sample], supersedes: supersedes)) == [])
      }
    }
    #expect(try server.uuids() == [sample.uuid.uuidString, sample.uuid.uuidString])
    #expect(try await stores[0].upload(ChangePage([], deleted: [sample.uuid])) == [])
    #expect(try server.uuids() == [sample.uuid.uuidString] && server.withdrawn().count == 1)
    #expect(
      try server.resources("Observation").first { $0["status"] as? String == "final" }?["subject"]
        as? [String: String] == ["reference": "Patient/124"])
    for store in stores { await store.close() }
  }

  @Test(arguments: [412, 409])
  func `an Observation that is withdrawn during its replacement stays withdrawn`(
    status: Int
  ) async throws {
    let cellar = try await opened()
    let samples = (0..<5).map { heartRate(after: Double($0)) }
    #expect(try await cellar.upload(ChangePage(samples)) == [])
    try server.set([
      "overtake": ["urn:uuid:" + samples[2].uuid.uuidString.lowercased()], "conflict": status,
    ])
    #expect(try await cellar.upload(ChangePage(samples, supersedes: true)) == [])
    #expect(try server.withdrawn() == [samples[2].uuid.uuidString])
    #expect(try server.uuids().count == 4)
    await cellar.close()
  }

  @Test func `on a server without versions a change uses a conditional update`() async throws {
    try server.set(["tellsVersions": false])
    let cellar = try await opened()
    let uuid = UUID()
    for zone in ["Asia/Kathmandu", "Europe/Paris"] {
      let sample = try heartRate(uuid: uuid, metadata: [HKMetadataKeyTimeZone: zone])
      #expect(try await cellar.upload(ChangePage([sample], supersedes: true)) == [])
    }
    let observations = try server.resources("Observation")
    #expect(observations.count == 1)
    #expect((observations.first?["effectiveDateTime"] as? String)?.hasSuffix("+01:00") == true)
    await cellar.close()
  }

  @Test func `a deletion holds when another gateway sends the page again`() async throws {
    let (cellar, attic) = (try await opened(), try await opened("attic"))
    let samples = (0..<60).map { heartRate(after: Double($0)) }
    #expect(try await cellar.upload(ChangePage(samples)) == [])
    #expect(try await cellar.upload(ChangePage([], deleted: samples.map(\.uuid))) == [])
    #expect(try await attic.upload(ChangePage(samples)) == [])
    #expect(try server.uuids() == [])
    #expect(try server.withdrawn().count == 60)
    await cellar.close()
    await attic.close()
  }

  @Test func `a sample that a gateway deleted and saved again is stored once`() async throws {
    let cellar = try await opened()
    let sample = heartRate()
    #expect(try await cellar.upload(ChangePage([sample])) == [])
    #expect(try await cellar.upload(ChangePage([], deleted: [sample.uuid])) == [])
    #expect(try await cellar.upload(ChangePage([sample])) == [])
    #expect(try server.uuids() == [sample.uuid.uuidString])
    #expect(try server.resources("Observation").first?["valueQuantity"] != nil)
    #expect((try server.resources("Observation").first?["identifier"] as? [Any])?.count == 1)
    // A page can delete and add the same sample, for example after samples were deleted and their log was
    // replayed.
    #expect(try await cellar.upload(ChangePage([], deleted: [sample.uuid])) == [])
    #expect(try await cellar.upload(ChangePage([sample], deleted: [sample.uuid])) == [])
    #expect(try server.uuids() == [sample.uuid.uuidString])
    #expect(try server.withdrawn() == [])
    await cellar.close()
  }

  @Test func `a changed sample replaces the stored one`() async throws {
    let cellar = try await opened()
    let uuid = UUID()
    func sample(_ zone: String) throws -> HKQuantitySample {
      try heartRate(uuid: uuid, metadata: [HKMetadataKeyTimeZone: zone])
    }
    #expect(try await cellar.upload(ChangePage([try sample("Asia/Kathmandu")])) == [])
    // A record that does not supersede leaves the stored sample unchanged.
    #expect(try await cellar.upload(ChangePage([try sample("Europe/Paris")])) == [])
    #expect(try server.resources("Observation").map { $0["versionId"] as? Int } == [1])
    for _ in 0..<2 {
      #expect(try await cellar.upload(ChangePage([try sample("Europe/Paris")], supersedes: true)) == [])
    }
    let observations = try server.resources("Observation")
    #expect(observations.count == 1)
    #expect((observations.first?["effectiveDateTime"] as? String)?.hasSuffix("+01:00") == true)
    await cellar.close()
  }

  @Test func `a superseding sample that was never stored is stored`() async throws {
    let cellar = try await opened()
    let page = ChangePage((0..<45).map { heartRate(after: Double($0)) }, supersedes: true)
    for _ in 0..<2 { #expect(try await cellar.upload(page) == []) }
    #expect(try server.uuids() == page.added.map(\.sample.uuid.uuidString).sorted())
    await cellar.close()
  }

  @Test func `a token without the right to search is reported if a search is needed`() async throws {
    let cellar = try await opened()
    try server.set(["noSearch": true])
    let sample = heartRate()
    #expect(try await cellar.upload(ChangePage([sample])) == [])
    let error = await storeError { _ = try await cellar.upload(ChangePage([sample])) }
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("searching Observation") == true)
    await cellar.close()
  }
}
