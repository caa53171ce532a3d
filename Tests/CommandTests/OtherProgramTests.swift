import Foundation
import HealthDataSync
import HealthKit
import HealthStorage
import Testing

@testable import hrgate

/// Tests a single sync run while another process syncs the destination.
@Suite struct OtherProgramTests {
  private let store: HKHealthStore
  private let ledger: SyncLedger

  init() async throws {
    store = try HKHealthStore.inMemory()
    ledger = try store.syncLedger()
    try await SyncDestinations(store).add(
      SyncDestination(
        name: "d", address: "file:///tmp/d", identity: ExternalIdentity(person: "me", gateway: "here")))
  }

  private var id: Int64 {
    get async throws { try #require(try await ledger.destination(named: "d")).id }
  }

  private func save(_ carried: SentRecords) async throws {
    let step = CursorStep(
      from: nil, to: ChangeLogCursor(position: 1, mark: ""), restarts: false, revision: 0)
    #expect(try await ledger.save(carried, step, to: id, resets: 0) == .saved)
  }

  @Test func `records that the other process leaves unsent do not block the run forever, and are reported`()
    async throws
  {
    let refused = SentRecords(
      type: "t", sent: 0, deleted: 0, settled: [], refused: [(UUID(), "no"), (UUID(), "no")], time: 1)
    try await save(refused)
    var other = try OtherProgram("d", of: store, timeout: .zero)
    #expect(try await other.ending() == nil)
    let ending = try #require(try await other.ending())
    #expect(ending.failure?.hasPrefix("2 rejected records were not retried yet") == true)
  }

  @Test func `records tried since the start count as done, whatever their result`() async throws {
    let uuid = UUID()
    try await save(
      SentRecords(type: "t", sent: 0, deleted: 0, settled: [], refused: [(uuid, "no")], time: 1))
    var other = try OtherProgram("d", of: store)
    #expect(try await other.ending() == nil)
    #expect(try await other.ending() == nil)
    try await ledger.postpone(uuid, reason: "away", of: id, at: 5)
    #expect(try await other.ending() == OtherProgram.Ending(failure: nil))
  }

  @Test func `after a failure the destination must be reached again, even if nothing is pending`()
    async throws
  {
    try await ledger.recordSuccess(of: id, at: 1)
    try await ledger.recordFailure("away", lasts: false, of: id, at: 2)
    var other = try OtherProgram("d", of: store)
    #expect(try await other.ending() == nil)
    // The other process was asked to retry at once, but has not done so yet.
    #expect(try await ledger.destination(named: "d")?.failure == nil)
    #expect(try await other.ending() == nil)
    try await ledger.recordFailure("still away", lasts: false, of: id, at: 3)
    #expect(try await other.ending() == OtherProgram.Ending(failure: "still away"))
    try await ledger.recordSuccess(of: id, at: 4)
    #expect(try await other.ending() == OtherProgram.Ending(failure: nil))
  }

  @Test func `removing the destination ends the run`() async throws {
    var other = try OtherProgram("d", of: store)
    #expect(try await other.ending() == nil)
    try await SyncDestinations(store).remove("d")
    await #expect(throws: SyncDestinationError.unknown("d")) { try await other.ending() }
  }
}
