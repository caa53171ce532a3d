import Foundation
import HealthSystem
import Synchronization
import Testing

@testable import HealthPage
@testable import HealthStorage
@testable import TestSupport

/// Tests the page of an encrypted store that is locked.
@Suite(
  .enabled(
    if: StoreEncryption.hasKeyring, "the kernel or the container refuses keyrings (add_key, keyctl)"),
  .timeLimit(.minutes(30)))
struct LockTests {
  /// An encrypted store that is unlocked. Its key is removed from the keyring at the end.
  private final class Store {
    let folder: TemporaryFolder
    let path: String

    init(_ secret: KeySecret? = nil) async throws {
      folder = try TemporaryFolder()
      path = folder.path("s.sqlite")
      let database = try SampleDatabase.open(at: path, .none)
      let revision = SourceRevisionRecord(
        source: SourceRecord(bundleIdentifier: "org.example.app", name: "App"), version: nil,
        productType: nil, operatingSystem: "1.0.0")
      try await database.save([
        SampleRecord(
          uuid: UUID(), type: "HKQuantityTypeIdentifierHeartRate", start: 0, end: 0,
          provenance: Provenance(revision: revision, device: nil), metadata: nil,
          content: .quantity(value: 60, unit: "count/min"))
      ])
      try database.close()
      let secret = try secret ?? Self.passphrase("correct horse")
      // scrypt's cost N is small (1,024), so that the tests are fast.
      try StoreEncryption.encrypt(path, with: secret, cost: 1 << 10)
    }

    deinit { _ = try? StoreEncryption.lock(path) }

    static func passphrase(_ text: String) throws -> KeySecret {
      var bytes = Array(text.utf8)
      return .passphrase(try SecretBytes(taking: &bytes))
    }
  }

  private static let unlock = "/api/unlock"

  private static func body(_ passphrase: String) -> String { #"{"passphrase":"\#(passphrase)"}"# }

  private static func isLocked(_ client: PageClient) async throws -> Bool {
    let answer = try await client.get("/api/session")
    guard answer.status != 200 else { return false }
    #expect(try answer.status == 423 && answer.object()["error"] as? String == "locked", "\(answer.text)")
    return true
  }

  @Test func `the page of a locked store unlocks it with its passphrase, also later`() async throws {
    let store = try await Store()
    let path = store.path
    #expect(try StoreEncryption.lock(path))
    try await ServedPage.serve(PageServer(StoreCache(nil, file: path), monitors: .none)) { page in
      var client = try await page.entered()
      #expect(try await Self.isLocked(client))
      let state = try await client.get("/api/lock").decoded(LockResponse.self)
      #expect(state.isLocked && state.hasPassphrase && state.store == path)
      #expect(try await client.post(Self.unlock, Self.body("correct horse")).status == 403)
      client.changeKey = state.csrf
      let foreign = ["Origin": "http://example.org"]
      #expect(try await client.post(Self.unlock, Self.body("correct horse"), foreign).status == 403)
      for (wrong, reason) in [("wrong", "does not open the store"), ("", "is empty")] {
        let answer = try await client.post(Self.unlock, Self.body(wrong))
        #expect(answer.status == 400 && answer.text.contains(reason), "\(answer.text)")
      }
      #expect(try await Self.isLocked(client))
      #expect(try await client.post(Self.unlock, Self.body("correct horse")).status == 200)
      #expect(try await !Self.isLocked(client))
      // The store can be locked while the page has it open.
      #expect(try StoreEncryption.lock(path))
      #expect(try await Self.isLocked(client))
      #expect(try await client.post(Self.unlock, Self.body("correct horse")).status == 200)
      #expect(try await !Self.isLocked(client))
      #expect(try await !client.get("/api/lock").decoded(LockResponse.self).isLocked)
    }
  }

  /// `hrgate page` then stores the measurements that were recorded while the store was locked.
  @Test func `the page calls a closure after unlocking, and its error is shown`() async throws {
    struct FullDiskError: LocalizedError { var errorDescription: String? { "the disk is full" } }
    let store = try await Store()
    let path = store.path
    let unlocked = Mutex<[String]>([])
    let page = PageServer(
      StoreCache(nil, file: path), monitors: .none,
      afterUnlock: { unlockedPath in
        let count = unlocked.withLock { paths in
          paths.append(unlockedPath)
          return paths.count
        }
        if count == 2 { throw FullDiskError() }
      })
    try await ServedPage.serve(page) { page in
      var client = try await page.entered()
      for text in ["{}", "the disk is full"] {
        #expect(try StoreEncryption.lock(path))
        client.changeKey = try await client.get("/api/lock").decoded(LockResponse.self).csrf
        #expect(try await client.post(Self.unlock, Self.body("wrong")).status == 400)
        let answer = try await client.post(Self.unlock, Self.body("correct horse"))
        #expect(answer.status == 200 && answer.text.contains(text), "\(answer.text)")
        #expect(try await !Self.isLocked(client))
      }
    }
    #expect(unlocked.withLock(\.self) == [path, path])
  }

  @Test func `a backup of an encrypted store can be opened with its keys`() async throws {
    let store = try await Store()
    let (path, backup) = (store.path, store.folder.path("backup.sqlite"))
    try await ServedPage.serve(PageServer(StoreCache(nil, file: path), monitors: .none)) { page in
      let client = try await page.entered()
      #expect(try await client.get("/api/storage").decoded(StorageResponse.self).isEncrypted)
      for (route, file) in [("/api/backup", backup), ("/api/backup-keys", backup + "-keys")] {
        let answer = try await client.get(route)
        #expect(answer.status == 200, "\(answer.text)")
        try answer.body.write(to: URL(filePath: file))
      }
    }
    #expect(try StoreEncryption.lock(path))
    try StoreEncryption.unlock(backup, with: Store.passphrase("correct horse"))
    let copy = try SampleDatabase.open(at: backup, .none)
    #expect(try await copy.samples(.everything, order: []).count == 1)
    try copy.close()
  }

  @Test func `a plain store is not locked, and a store without a passphrase says so`() async throws {
    let plain = try PageStore()
    try await ServedPage.serve(plain.page()) { page in
      let client = try await page.entered()
      #expect(try await client.get("/api/backup-keys").status == 404)
      let state = try await client.get("/api/lock").decoded(LockResponse.self)
      #expect(!state.isLocked && !state.hasPassphrase)
      let answer = try await client.post(Self.unlock, Self.body("x"))
      #expect(answer.status == 400 && answer.text.contains("is not encrypted"), "\(answer.text)")
    }
    var bytes = [UInt8](repeating: 7, count: 64)
    let store = try await Store(.keyFile(SecretBytes(taking: &bytes)))
    #expect(try StoreEncryption.lock(store.path))
    try await ServedPage.serve(PageServer(StoreCache(nil, file: store.path), monitors: .none)) { page in
      let state = try await page.entered().get("/api/lock").decoded(LockResponse.self)
      #expect(state.isLocked && !state.hasPassphrase)
    }
  }
}
