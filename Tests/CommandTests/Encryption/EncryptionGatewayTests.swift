import Foundation
import HealthStorage
import Testing

@testable import TestSupport

/// Tests a gateway whose store is locked while the gateway is running.
@Suite(.enabled(if: hasKeyring, withoutKeyring), .timeLimit(.minutes(30))) struct EncryptionGatewayTests {
  /// Receipt times of the frames that are to be stored, by address.
  private func frames(_ lines: some Sequence<String>) -> [String: Set<Int64>] {
    var frames: [String: Set<Int64>] = [:]
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 4, words[2] != "-", let time = Int64(words[1]) else { continue }
      frames[String(words[0]), default: []].insert(time)
    }
    return frames
  }

  @Test func `unlock reports and removes an inbox without an intact entry`() async throws {
    let store = try await EncryptionStore(10)
    defer { store.end() }
    let inbox = try await RecordedInbox(store)
    #expect(truncate(store.path + "-inbox", 256) == 0)
    let unlocked = try store.unlock()
    #expect(unlocked.status == 0)
    #expect(
      unlocked.errors.contains("entries 1 to \(inbox.entries) of the inbox are missing"), "\(unlocked)")
    #expect(!store.hasInbox)
    #expect(try store.run("store", "decrypt").status == 0)
  }

  @Test func `what is measured while the store is locked is stored after unlocking`() async throws {
    let store = try await EncryptionStore(1)
    defer { store.end() }
    #expect(try store.encrypt().status == 0)
    let start = Int64(Date().timeIntervalSince1970 - 86_400) * 1_000_000
    let gateway = try ClientProcess(
      ["measure", store.path, "7", "\(start)"], output: store.folder.path("frames"))
    try #require(await eventually { try gateway.lines().count >= 200 })
    #expect(try store.run("store", "lock").status == 0)
    let locked = try gateway.lines().count
    try #require(await eventually { try gateway.lines().count >= locked + 500 })
    #expect(throws: StorageError.locked) { try SampleDatabase.open(at: store.path, .none) }
    #expect(try store.unlock().status == 0)
    let sent = frames(try gateway.lines())
    #expect(sent.count == 2 && sent.values.allSatisfy { $0.count > 200 })
    let database = try SampleDatabase.open(at: store.path, .none)
    var missing = 0
    let areStored = try await eventually {
      missing = 0
      for (address, times) in sent {
        let stored = try await database.samples(
          .all([.type("HKQuantityTypeIdentifierHeartRate"), .sources(["org.hrgate.monitor.\(address)"])]),
          order: [])
        missing += times.subtracting(stored.map(\.start)).count
      }
      return missing == 0
    }
    #expect(areStored, "\(missing) frames are missing")
    #expect(try gateway.end() == 0)
    #expect(try await database.integrity() == ["ok"])
  }
}
