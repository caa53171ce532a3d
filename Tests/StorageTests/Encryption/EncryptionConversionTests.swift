import CEncryptedFiles
import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests encrypting and decrypting in place, copies of encrypted stores, and what is left of old files.
@Suite(.enabled(if: hasKeyring, withoutKeyring)) struct EncryptionConversionTests {
  @Test func `a store has the same samples after encryption and after decryption`() async throws {
    let records = mixedRecords(300)
    let fixture = try await EncryptedStoreFixture(records, isEncrypted: false)
    let before = try await fixture.samples()
    let mode = try FileManager.default.attributesOfItem(atPath: fixture.path)[.posixPermissions] as? Int
    try fixture.encrypt()
    #expect(try await fixture.samples() == before)
    #expect(!fixture.file().containsBytes("SQLite format 3"))
    #expect(try Set(fixture.lastingNames()) == ["", "-keys", "-gateway"])
    for name in ["", "-keys"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path + name)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
    #expect { try fixture.encrypt() } throws: { "\($0)".contains("encrypted already") }
    try StoreEncryption.decrypt(fixture.path)
    #expect(try await fixture.samples() == before)
    #expect(fixture.file().containsBytes("SQLite format 3"))
    #expect(try Set(fixture.lastingNames()) == ["", "-gateway"])
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isEncrypted == false)
    #expect { try StoreEncryption.decrypt(fixture.path) } throws: { "\($0)".contains("is not encrypted") }
    #expect { try fixture.unlock() } throws: { "\($0)".contains("is not encrypted") }
  }

  @Test func `a locked store is decrypted with a secret only`() async throws {
    let fixture = try await EncryptedStoreFixture()
    #expect(try StoreEncryption.lock(fixture.path))
    #expect(throws: StorageError.locked) { try StoreEncryption.decrypt(fixture.path) }
    #expect(throws: StorageError.self) { try StoreEncryption.decrypt(fixture.path, with: secret("wrong")) }
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isEncrypted)
    try StoreEncryption.decrypt(fixture.path, with: secret("correct horse"))
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `what is in the log of a killed program is in the encrypted store`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let store = try SampleDatabase.open(at: fixture.path)
    try await store.save(newRecords(7))
    // Copy the store with its write-ahead log, as a killed process leaves them.
    let copy = fixture.folder.path("killed.sqlite")
    for suffix in ["", "-wal"] { try Data(fixture.file(suffix)).write(to: URL(filePath: copy + suffix)) }
    try store.close()
    try StoreEncryption.encrypt(copy, with: secret("x"), cost: testCost)
    let killed = try SampleDatabase.open(at: copy)
    #expect(try await killed.samples(.everything, order: []).count == 57)
    try killed.close()
    _ = try StoreEncryption.lock(copy)
  }

  @Test func `a gateway that runs keeps the store from being converted`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let gateway = ProgramLock(ofGatewayOfDatabaseAt: fixture.path)
    try gateway.take { .gatewayRuns(process: $0) }
    let before = fixture.file()
    #expect { try fixture.encrypt() } throws: { error in
      if case .gatewayRuns = error as? StorageError { true } else { false }
    }
    #expect(fixture.file() == before)
    #expect(try fixture.names() == ["", "-gateway"])
    gateway.release()
    try fixture.encrypt()
  }

  /// A hard link is a second name of the same content, for example in a snapshot of the folder.
  @Test func `a store with a second name is not encrypted, and the content of that name is kept`()
    async throws
  {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let snapshot = fixture.folder.path("snapshot")
    #expect(link(fixture.path, snapshot) == 0)
    let before = FileManager.default.contents(atPath: snapshot)
    let error = #expect(throws: StorageError.self) { try fixture.encrypt() }
    #expect(error?.description.contains("hard link") == true)
    #expect(FileManager.default.contents(atPath: snapshot) == before)
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isEncrypted == false)
    #expect(unlink(snapshot) == 0)
    try fixture.encrypt()
    #expect(try await fixture.samples().count == 50)
  }

  @Test(arguments: ["-inbox", "-inbox-unreadable", "-inbox-unreadable-2"])
  func `the keys are kept while there are measurements that only they can decrypt`(_ suffix: String)
    async throws
  {
    let fixture = try await EncryptedStoreFixture()
    try Data(count: 300).write(to: URL(filePath: fixture.path + suffix))
    #expect(throws: StorageError.self) { try StoreEncryption.decrypt(fixture.path) }
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isEncrypted)
    #expect(try !#require(try KeyFile.read(ofStoreAt: fixture.path)).slots.isEmpty)
    #expect(unlink(fixture.path + suffix) == 0)
    try StoreEncryption.decrypt(fixture.path)
    #expect(try await fixture.samples().count == 50)
  }

  // MARK: - InterruptionError

  /// Creates each state in which an interrupted conversion can leave the folder.
  @Test func `the next command removes what an interrupted one has left`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let plain = fixture.file()
    // Interrupted before the files are exchanged: a part of the new file, a key file, and a second name of
    // the store.
    try Data(count: 9000).write(to: URL(filePath: fixture.path + StoreConversion.encrypting))
    try Data(count: 100).write(to: URL(filePath: fixture.path + StoreConversion.encrypting + "-journal"))
    try KeyFile.create().file.write(ofStoreAt: fixture.path)
    #expect(link(fixture.path, fixture.path + StoreConversion.unencrypted) == 0)
    #expect(try await fixture.samples().count == 50)
    try fixture.encrypt()
    #expect(try Set(fixture.lastingNames()) == ["", "-keys", "-gateway"])
    // Interrupted after the exchange: the old file still exists.
    try Data(plain).write(to: URL(filePath: fixture.path + StoreConversion.unencrypted))
    try Data(plain).write(to: URL(filePath: fixture.path + StoreConversion.decrypting))
    let problem = try StoreEncryption.status(ofStoreAt: fixture.path).problem
    #expect(problem?.contains("is not encrypted") == true)
    // Give the old file a second name, to check that its content is overwritten and not only its name
    // removed.
    let witness = fixture.folder.path("witness")
    #expect(link(fixture.path + StoreConversion.unencrypted, witness) == 0)
    _ = try StoreEncryption.lock(fixture.path)
    try fixture.unlock()
    #expect(try Set(fixture.lastingNames()) == ["", "-keys", "-gateway", "witness"])
    let left = try #require(FileManager.default.contents(atPath: witness))
    #expect(left.count == plain.count && left.allSatisfy { $0 == 0 })
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).problem == nil)
    #expect(try await fixture.samples().count == 50)
  }

  /// If the log is overwritten at its own path, an interruption leaves a file there that SQLite reads. An
  /// encrypted one without a valid header is SQLITE_CORRUPT. A limit on the size of files interrupts at a
  /// known place.
  @Test func `a log that is overwritten only in part does not damage the store`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      for encrypts in [true, false] {
        let fixture = try await EncryptedStoreFixture(isEncrypted: !encrypts)
        let store = try SampleDatabase.open(at: fixture.path)
        try await store.writer.writeWithoutTransaction { database in
          try database.execute(sql: "PRAGMA synchronous = OFF")
          try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
          for _ in 0..<500 {
            try database.execute(sql: "UPDATE store_identity SET token = hex(randomblob(8))")
          }
        }
        // A copy with its log, as a kill leaves it.
        let killed = fixture.folder.path("killed.sqlite")
        for suffix in ["", "-wal"] + (encrypts ? [] : ["-keys"]) {
          try Data(fixture.file(suffix)).write(to: URL(filePath: killed + suffix))
        }
        let room = (StoreFile.size(at: killed) + StoreFile.size(at: killed + "-wal")) / 2
        try #require(room > StoreFile.size(at: killed) + 100_000)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let unlimited = limit.rlim_cur
        limit.rlim_cur = rlim_t(room)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        if encrypts {
          try? StoreEncryption.encrypt(killed, with: secret("correct horse"), cost: testCost)
        } else {
          try? StoreEncryption.decrypt(killed)
        }
        limit.rlim_cur = unlimited
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let status = try StoreEncryption.status(ofStoreAt: killed)
        guard status.isEncrypted == encrypts, (status.problem != nil) == encrypts,
          try StoreUpkeep.check(at: killed).findings.isEmpty
        else { exit(EXIT_FAILURE) }
        let opened = try SampleDatabase.open(at: killed)
        guard try await opened.samples(.everything, order: []).count == 50 else { exit(EXIT_FAILURE) }
        try opened.close()
        if encrypts {
          try StoreEncryption.unlock(killed, with: secret("correct horse"))
          guard try StoreEncryption.status(ofStoreAt: killed).problem == nil else { exit(EXIT_FAILURE) }
          _ = try StoreEncryption.lock(killed)
        }
        guard StoreConversion(killed).readableLeftovers.isEmpty else { exit(EXIT_FAILURE) }
        try store.close()
      }
      exit(EXIT_SUCCESS)
    }
  }

  /// The second name would later be taken for the unencrypted old file, and the store that a restore has kept
  /// would be overwritten.
  @Test func `a store that is kept by a restore survives an interrupted encryption before it`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let backup = fixture.folder.path("backup.sqlite")
    try StoreUpkeep.backUp(fixture.path, to: backup)
    #expect(link(fixture.path, fixture.path + StoreConversion.unencrypted) == 0)
    let kept = try #require(try StoreUpkeep.restore(fixture.path, from: backup))
    try fixture.encrypt()
    #expect(try StoreUpkeep.check(at: kept).findings == [])
    #expect(try StoreUpkeep.check(at: kept).size?.samples == 50)
  }

  @Test(.enabled(if: SmallDisk.canMount, "only root can mount a small disk"))
  func `a full disk leaves the plain store as it was`() async throws {
    let disk = try SmallDisk(size: "1m")
    let path = disk.path + "/s.sqlite"
    let store = try SampleDatabase.open(at: path)
    while StoreFile.size(at: path) < 550_000 {
      try await store.save(newRecords(150))
      try await store.writer.writeWithoutTransaction {
        try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
    let count = try await store.samples(.everything, order: []).count
    try store.close()
    #expect(throws: StorageError.self) {
      try StoreEncryption.encrypt(path, with: secret("x"), cost: testCost)
    }
    #expect(try StoreEncryption.status(ofStoreAt: path).isEncrypted == false)
    let after = try SampleDatabase.open(at: path)
    #expect(try await after.samples(.everything, order: []).count == count)
    try after.close()
    #expect(StoreConversion(path).readableLeftovers == [])
    #expect(access(path + StoreConversion.encrypting, F_OK) != 0)
  }

  /// A power failure or a damaged disk can destroy the header, so that the file is not recognized as
  /// encrypted.
  @Test func `encrypt leaves the key file beside a store that it cannot read`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let keys = fixture.file("-keys")
    var bytes = fixture.file()
    for place in 0..<ENCRYPTED_HEADER { bytes[place] = UInt8(truncatingIfNeeded: place &* 7) }
    try Data(bytes).write(to: URL(filePath: fixture.path))
    #expect(throws: (any Error).self) { try fixture.encrypt() }
    #expect(fixture.file() == bytes && fixture.file("-keys") == keys)
    // The key of the unreadable store can still be removed from the keyring.
    let store = try #require(try KeyFile.read(ofStoreAt: fixture.path)?.store)
    #expect(try Keyring.revoke(store))
  }

  @Test func `the keys are written right before the encrypted file gets its name`() async throws {
    struct InterruptionError: Error {}
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let (keys, dataKey) = try KeyFile.create()
    _ = try Keyring.withHeld(dataKey, of: keys.store) {
      #expect(throws: InterruptionError.self) {
        try StoreConversion(fixture.path).exclusively { conversion in
          try conversion.encrypt(keys.store, dataKey) {
            #expect(try EncryptedFiles.store(at: fixture.path + StoreConversion.encrypting) == keys.store)
            #expect(fixture.file("-keys") == [])
            throw InterruptionError()
          }
        }
      }
    }
    #expect(try Set(fixture.lastingNames()) == ["", "-gateway"])
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `an old file that cannot be overwritten is reported, and the store is encrypted`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let (keys, dataKey) = try KeyFile.create()
    let old = fixture.path + StoreConversion.unencrypted
    try Keyring.withHeld(dataKey, of: keys.store) {
      try StoreConversion(fixture.path).exclusively { conversion in
        try conversion.encrypt(keys.store, dataKey) {
          try keys.write(ofStoreAt: fixture.path)
          // Replace the old file with a folder, which cannot be overwritten.
          #expect(unlink(old) == 0 && mkdir(old, 0o700) == 0)
        }
      }
      let status = try StoreEncryption.status(ofStoreAt: fixture.path)
      #expect(status.isEncrypted && status.problem?.contains(old) == true)
      #expect(rmdir(old) == 0)
      #expect(try StoreEncryption.status(ofStoreAt: fixture.path).problem == nil)
    }
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isLocked)
  }

  // MARK: - Copies

  @Test func `a backup is encrypted with the same keys, and can be restored`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let backup = fixture.folder.path("backup.sqlite")
    try StoreUpkeep.backUp(fixture.path, to: backup)
    // A second backup replaces the first one.
    try StoreUpkeep.backUp(fixture.path, to: backup)
    #expect(try EncryptedFiles.store(at: backup) == EncryptedFiles.store(at: fixture.path))
    #expect(try KeyFile.read(ofStoreAt: backup) == KeyFile.read(ofStoreAt: fixture.path))
    #expect(try !Data(contentsOf: URL(filePath: backup)).containsBytes("SQLite format 3"))
    // Equal content is encrypted differently in each file, because each file has its own key.
    #expect(try fixture.content(of: backup).prefix(16) == fixture.content().prefix(16))
    #expect(
      try Data(contentsOf: URL(filePath: backup)).dropFirst(4096).prefix(16)
        != Data(fixture.file()).dropFirst(4096).prefix(16))
    let store = try SampleDatabase.open(at: fixture.path)
    try await store.save(newRecords(5))
    try store.close()
    let kept = try #require(try StoreUpkeep.restore(fixture.path, from: backup))
    #expect(try await fixture.samples().count == 50)
    #expect(try EncryptedFiles.store(at: kept) != nil)
    #expect(try KeyFile.read(ofStoreAt: kept) != nil && KeyFile.read(ofStoreAt: fixture.path) != nil)
    // Unlock the backup with the passphrase alone, as on another machine whose keyring does not have the key.
    #expect(try StoreEncryption.lock(backup))
    try StoreEncryption.unlock(backup, with: secret("correct horse"))
  }

  @Test func `restoring an earlier backup keeps the current passphrase`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let backup = fixture.folder.path("backup.sqlite")
    try StoreUpkeep.backUp(fixture.path, to: backup)
    _ = try StoreEncryption.addKey(secret("newer"), named: "newer", to: fixture.path, cost: testCost)
    try StoreEncryption.removeKey(named: "passphrase", from: fixture.path)
    let kept = try #require(try StoreUpkeep.restore(fixture.path, from: backup))
    #expect(try StoreEncryption.lock(fixture.path))
    #expect(throws: StorageError.self) { try fixture.unlock() }
    try StoreEncryption.unlock(fixture.path, with: secret("newer"))
    #expect(try await fixture.samples().count == 50)
    #expect(try KeyFile.read(ofStoreAt: kept) == KeyFile.read(ofStoreAt: fixture.path))
  }

  @Test func `a backup of another store is restored with its keys, and the old keys are kept`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let other = try await EncryptedStoreFixture(mixedRecords(7))
    let old = try KeyFile.read(ofStoreAt: fixture.path)
    let kept = try #require(try StoreUpkeep.restore(fixture.path, from: other.path))
    #expect(try KeyFile.read(ofStoreAt: fixture.path) == KeyFile.read(ofStoreAt: other.path))
    #expect(try KeyFile.read(ofStoreAt: kept) == old)
    #expect(try await fixture.samples().count == 7)
    // If the store cannot be replaced, it has its keys again.
    let aside = fixture.folder.path("aside")
    let replacement = try KeyReplacement(
      ofStoreAt: fixture.path, keptAs: aside, by: CopyEncryption(ofStoreAt: kept), for: nil)
    #expect(try KeyFile.read(ofStoreAt: fixture.path) == old)
    replacement.undo()
    #expect(try KeyFile.read(ofStoreAt: fixture.path) == KeyFile.read(ofStoreAt: other.path))
    #expect(try KeyFile.read(ofStoreAt: aside) == nil)
  }

  @Test func `decrypt completes an interrupted decryption`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let keys = fixture.file("-keys")
    try StoreEncryption.decrypt(fixture.path)
    // The interruption came before the keys were removed.
    try Data(keys).write(to: URL(filePath: fixture.path + "-keys"))
    try StoreEncryption.decrypt(fixture.path)
    #expect(try fixture.lastingNames().contains("-keys") == false)
    #expect(try await fixture.samples().count == 50)
    #expect(throws: StorageError.self) { try StoreEncryption.decrypt(fixture.path) }
  }

  @Test func `a plain store that a restore kept beside an encrypted one is reported`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let backup = fixture.folder.path("backup.sqlite")
    try StoreUpkeep.backUp(fixture.path, to: backup)
    let kept = try #require(try StoreUpkeep.restore(fixture.path, from: backup))
    try fixture.encrypt()
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).problem?.hasPrefix(kept) == true)
    #expect(unlink(kept) == 0)
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).problem == nil)
  }

  @Test func `a plain backup of an encrypted store is encrypted when it is restored`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let backup = fixture.folder.path("backup.sqlite")
    try StoreUpkeep.backUp(fixture.path, to: backup)
    try fixture.encrypt()
    _ = try StoreUpkeep.restore(fixture.path, from: backup)
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isEncrypted)
    #expect(try await fixture.samples().count == 50)
    _ = try StoreEncryption.lock(fixture.path)
    #expect(throws: StorageError.locked) { try StoreUpkeep.restore(fixture.path, from: backup) }
  }

  @Test func `what is recovered from a damaged encrypted store is encrypted`() async throws {
    let fixture = try await EncryptedStoreFixture(mixedRecords(500))
    var bytes = fixture.file()
    // Damage bytes near the end of the file, where the rows are, and not the schema.
    for place in stride(from: bytes.count - 8192, to: bytes.count - 4096, by: 16) { bytes[place] ^= 1 }
    try Data(bytes).write(to: URL(filePath: fixture.path))
    let target = fixture.folder.path("saved.sqlite")
    let recovered = try StoreUpkeep.recover(fixture.path, to: target, .ofTests)
    #expect((recovered.kept["sample"] ?? 0) > 100)
    #expect(try EncryptedFiles.store(at: target) != nil && KeyFile.read(ofStoreAt: target) != nil)
    #expect(try StoreUpkeep.check(at: target).findings == [])
    #expect(try !fixture.names().contains { $0.hasSuffix(".rescue") })
  }

  @Test func `an encrypted store is vacuumed`() async throws {
    let fixture = try await EncryptedStoreFixture(mixedRecords(500))
    let store = try SampleDatabase.open(at: fixture.path)
    let uuids = try await store.samples(.everything, order: []).map(\.uuid)
    _ = try await store.deleteMatching(.uuids(Set(uuids)), inTransactionsOf: 100) { _ in true }
    try store.close()
    let (before, after) = try StoreUpkeep.vacuum(fixture.path)
    #expect(after < before)
    #expect(try StoreUpkeep.check(at: fixture.path).findings == [])
    #expect(try EncryptedFiles.store(at: fixture.path) != nil)
  }
}
