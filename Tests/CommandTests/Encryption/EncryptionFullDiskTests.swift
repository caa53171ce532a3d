import Foundation
import Gateway
import HealthKit
import HealthStorage
import HealthSystem
import Testing

@testable import TestSupport

/// Encryption of stores on a full disk, by the commands.
@Suite(
  .enabled(if: hasKeyring && SmallDisk.canMount, "skipped: needs keyrings and the right to mount a tmpfs"),
  .timeLimit(.minutes(30))) struct EncryptionFullDiskTests
{
  /// A store, its disk, and a passphrase on another disk.
  private struct Fixture {
    let disk: SmallDisk
    let store: EncryptionStore

    init() async throws {
      disk = try SmallDisk(size: "16m")
      store = try await EncryptionStore(5_000, on: disk)
    }
  }

  private func expectFullDisk(_ result: CommandResult, _ comment: String) {
    #expect(result.status == 1, "\(comment): \(result.output)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(comment): \(result.errors)")
    let reasons = ["SQLITE_FULL", "No space left on device"]
    #expect(reasons.contains { result.errors.contains($0) }, "\(comment): \(result.errors)")
  }

  /// With little room the first step fails, with more room a later one.
  @Test func `encrypt and decrypt on a full disk leave the store as it was, and say why`() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    defer { store.end() }
    let samples = try store.samples()
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int)
    for encrypts in [true, false] {
      var refused = 0
      for room in [0, 4_096, 20_000, 50_000, 80_000, size / 2, size - 8_192, size, size + 8_192] {
        try fixture.disk.fill(leaving: room)
        let result =
          try encrypts
          ? store.encrypt() : store.run("store", "decrypt", "--passphrase-file", store.passphrase)
        try fixture.disk.makeRoom()
        let isEncrypted = try store.status()["encrypted"] as? Bool
        #expect(isEncrypted == (encrypts == (result.status == 0)), "\(room)")
        #expect(try store.samples() == samples, "\(room)")
        #expect(try store.run("store", "check").status == 0, "\(room)")
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.disk.path)
          .filter { $0.contains("crypt") }
        #expect(left == [], "\(room)")
        guard result.status != 0 else { break }
        refused += 1
        expectFullDisk(result, "\(room)")
      }
      #expect(refused > 4)
      if try store.status()["encrypted"] as? Bool != encrypts {
        let result =
          try encrypts
          ? store.encrypt() : store.run("store", "decrypt", "--passphrase-file", store.passphrase)
        #expect(result.status == 0, "\(result.errors)")
      }
    }
  }

  @Test func `an inbox that does not fit into the store is kept, and stored when there is room`() async throws
  {
    let fixture = try await Fixture()
    let store = fixture.store
    defer { store.end() }
    let inbox = try await RecordedInbox(store)
    for room in [0, 60_000] {
      try fixture.disk.fill(leaving: room)
      let result = try store.unlock()
      expectFullDisk(result, "unlock")
      #expect(result.errors.contains("kept in \(store.path)-inbox"), "\(result.errors)")
      // The command records its own run, too.
      #expect(try store.status().inboxEntries >= inbox.entries)
      try fixture.disk.makeRoom()
    }
    let again = try store.unlock()
    #expect(again.status == 0, "\(again.errors)")
    #expect(try store.status().inboxEntries == 0)
    let database = try SampleDatabase.open(at: store.path, .none)
    let stored = try await database.samples(.type("HKQuantityTypeIdentifierHeartRate"), order: [])
    #expect(stored.count == 5_000 + inbox.measurements)
    #expect(Set(stored.map(\.uuid)).count == stored.count)
    #expect(try await database.integrity() == ["ok"])
  }
}
