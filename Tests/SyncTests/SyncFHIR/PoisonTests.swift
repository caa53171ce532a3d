import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests records that always make the server fail, and servers that always fail.
@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct PoisonTests {
  private let server: FHIRServer

  init() throws { server = try FHIRServer() }

  private func poison(_ samples: [HKSample]) throws {
    try server.set(["poison": samples.map { "urn:uuid:" + $0.uuid.uuidString.lowercased() }])
  }

  /// Sends a page as the sync engine does: opens the store again after each failure.
  /// - Returns: the refused records and the number of the successful attempt, or nil if no attempt succeeded.
  private func upload(_ page: ChangePage, attempts: Int) async throws -> (refused: Set<UUID>, attempt: Int)? {
    let store = try server.store()
    for attempt in 1...attempts {
      try await store.open()
      var rejections: [RejectedChange] = []
      let error = await storeError { rejections = try await store.upload(page) }
      await store.close()
      guard let error else {
        #expect(rejections.allSatisfy { $0.reason.contains("fails each time it receives this sample (500)") })
        return (Set(rejections.map(\.uuid)), attempt)
      }
      #expect(error.outlook == .passing)
    }
    return nil
  }

  @Test(arguments: [nil, strap])
  func `a record that makes the server fail does not delay the others`(device: HKDevice?) async throws {
    let samples = (0..<150).map { heartRate(after: Double($0), device: device) }
    let bad = [120, 7, 8, 40, 41].map { samples[$0] }
    try poison(bad)
    let outcome = try #require(try await upload(ChangePage(samples), attempts: 5))
    #expect(outcome.attempt == 3)
    #expect(outcome.refused == Set(bad.map(\.uuid)))
    #expect(try server.uuids().count == 145)
  }

  @Test func `a record is not refused after one failure, which may be the server's`() async throws {
    let samples = (0..<5).map { heartRate(after: Double($0)) }
    try server.befall([["status": 500], ["status": 502]])
    let outcome = try #require(try await upload(ChangePage(samples), attempts: 3))
    #expect(outcome.refused == [])
    #expect(try server.uuids().count == 5)
  }

  @Test(arguments: [1, 7]) func `a page with only such records is completed within one run`(
    count: Int
  ) async throws {
    let samples = (0..<count).map { heartRate(after: Double($0)) }
    try poison(samples)
    let outcome = try #require(
      try await upload(ChangePage(samples), attempts: SyncPolicy().attemptsOfOneRun))
    #expect(outcome.refused == Set(samples.map(\.uuid)))
  }

  @Test func `on a server that rejects all writes no record is refused`() async throws {
    let samples = (0..<150).map { heartRate(after: Double($0)) }
    try server.set(["readOnly": true])
    let store = try server.store()
    for _ in 0..<6 {
      try await store.open()
      #expect(await storeError { _ = try await store.upload(ChangePage(samples)) }?.outlook == .passing)
      await store.close()
    }
    try server.set(["readOnly": false])
    try await store.open()
    // The store sends all records again, and refuses none because of the earlier failures.
    #expect(try await store.upload(ChangePage(samples)) == [])
    #expect(try server.uuids().count == 150)
    await store.close()
  }

  /// Makes two attempts of a page fail, so that the third attempt searches for the bad record.
  private func failedTwice(_ page: ChangePage) async throws -> FHIRStore {
    let store = try server.store()
    try server.befall([["status": 500], ["status": 500]])
    for _ in 0..<2 {
      try await store.open()
      #expect(await storeError { _ = try await store.upload(page) }?.outlook == .passing)
      await store.close()
    }
    try await store.open()
    return store
  }

  @Test(arguments: ["downAfter", "readOnlyAfter"])
  func `on a server that stops writing in the middle no record is refused`(setting: String) async throws {
    let samples = (0..<150).map { heartRate(after: Double($0)) }
    let store = try await failedTwice(ChangePage(samples))
    try server.set([setting: 1])
    var rejections: [RejectedChange] = []
    let error = await storeError { rejections = try await store.upload(ChangePage(samples)) }
    #expect(error?.outlook == .passing && rejections == [])
    #expect(try server.uuids().count == 100)
    await store.close()
    try server.set([setting: NSNull()])
    try await store.open()
    #expect(try await store.upload(ChangePage(samples)) == [])
    #expect(try server.uuids().count == 150)
    await store.close()
  }

  @Test func `a failed entry in an accepted transaction does not affect the others`() async throws {
    let samples = (0..<5).map { heartRate(after: Double($0)) }
    try server.set(["brokenEntry": 2, "brokenStatus": "500 Fault"])
    let outcome = try #require(try await upload(ChangePage(samples), attempts: 4))
    #expect(outcome.refused == [samples[2].uuid])
  }
}
