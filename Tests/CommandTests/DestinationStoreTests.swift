import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests the store behind a destination's address when it is opened several times, as in a run.
@Suite(.timeLimit(.minutes(30))) struct DestinationStoreTests {
  private static let samples = (0..<10).map { second in
    let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(second))
    return HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60), start: time, end: time)
  }

  private var page: ChangePage {
    ChangePage(
      type: HKQuantityType(.heartRate), deleted: [],
      added: Self.samples.map { ExternalRecord(sample: $0) })
  }

  private func store(_ address: String, secretFile: String? = nil) -> DestinationStore {
    DestinationStore(
      SyncDestination(
        name: "d", address: address, identity: ExternalIdentity(person: "Ada", gateway: "attic"),
        secretFile: secretFile))
  }

  @Test(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"))
  func `a record that always makes the server fail does not block its page forever`() async throws {
    let server = try FHIRServer()
    let bad = Self.samples[4].uuid
    try server.set(["poison": ["urn:uuid:" + bad.uuidString.lowercased()]])
    let store = store(server.url())
    var refused: [RejectedChange]?
    for _ in 0..<SyncPolicy().attemptsOfOneRun where refused == nil {
      try await store.open()
      refused = try? await store.upload(page)
      await store.close()
    }
    #expect(refused?.map(\.uuid) == [bad])
    #expect(try server.uuids().count == Self.samples.count - 1)
  }

  @Test func `a folder that existed once is not created again, because its disk may be missing`() async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("out")
    let store = store("file://\(path)?format=ndjson")
    try await store.open()
    #expect(try await store.upload(page) == [])
    await store.close()
    try FileManager.default.removeItem(atPath: path)
    await #expect(throws: ExternalStoreError.self) { try await store.open() }
    #expect(!FileManager.default.fileExists(atPath: path))
    await #expect(throws: ExternalStoreError.self) { try await store.upload(page) }
    await #expect(throws: ExternalStoreError.self) { try await store.reset() }
  }

  @Test(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"))
  func `a changed secret is used without any other action`() async throws {
    let server = try FHIRServer()
    try server.set(["token": "new"])
    let folder = try TemporaryFolder()
    func write(_ secret: String) throws -> String {
      let file = try folder.file("secret", Array((secret + "\n").utf8))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      return file
    }
    let store = store(server.url(), secretFile: try write("old"))
    await #expect(throws: ExternalStoreError.self) { try await store.open() }
    _ = try write("new")
    try await store.open()
    #expect(try await store.upload(page) == [])
    await store.close()
  }

  private func secretFile(_ folder: TemporaryFolder, _ secret: String) throws -> String {
    let file = try folder.file("secret", Array((secret + "\n").utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    return file
  }

  @Test(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"))
  func `a changed token is used at once, also for the page that was not accepted`() async throws {
    let server = try FHIRServer()
    try server.set(["token": "old"])
    let folder = try TemporaryFolder()
    let store = store(server.url(), secretFile: try secretFile(folder, "old"))
    let marker = DestinationMarker()
    #expect(try await store.open(expecting: marker) == 0)
    try server.set(["token": "new"])
    func numbered(_ number: Int64) -> ChangePage {
      ChangePage(
        type: page.type, deleted: [], added: page.added,
        marker: DestinationMarker(id: marker.id, sequence: number))
    }
    // The secret file still contains the old token, so the server rejects the page.
    await #expect(throws: ExternalStoreError.self) { _ = try await store.upload(numbered(1)) }
    _ = try secretFile(folder, "new")
    #expect(try await store.upload(numbered(1)) == [])
    #expect(try server.uuids().count == Self.samples.count)
    try server.set(["token": "newer"])
    _ = try secretFile(folder, "newer")
    #expect(try await store.upload(numbered(2)) == [])
    await store.close()
  }

  @Test(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"))
  func `a token that is renewed while an attempt waits ends the wait`() async throws {
    let server = try FHIRServer()
    try server.set(["token": "new"])
    let folder = try TemporaryFolder()
    let store = store(server.url(), secretFile: try secretFile(folder, "old"))
    await #expect(throws: ExternalStoreError.self) { try await store.open() }
    let wait = Task { await store.untilWorthRetrying() }
    _ = try secretFile(folder, "new")
    await wait.value
    try await store.open()
    await store.close()
    // A secret that becomes readable counts as changed too.
    try FileManager.default.removeItem(atPath: folder.path("secret"))
    await #expect(throws: ExternalStoreError.self) { try await store.open() }
    let other = Task { await store.untilWorthRetrying() }
    _ = try secretFile(folder, "new")
    await other.value
    let never = Task { await self.store(server.url()).untilWorthRetrying() }
    never.cancel()
    await never.value
  }
}
