import Dispatch
import Foundation
import Synchronization
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests the key file: its slots, damage, and the secrets that open it.
@Suite(.enabled(if: hasKeyring, withoutKeyring)) struct EncryptionKeyTests {
  private func isLocked(_ fixture: EncryptedStoreFixture) throws -> Bool {
    try StoreEncryption.status(ofStoreAt: fixture.path).isLocked
  }

  @Test func `a wrong passphrase, and a secret of another kind, leave the store locked`() async throws {
    let fixture = try await EncryptedStoreFixture()
    #expect(try StoreEncryption.lock(fixture.path))
    #expect(try !StoreEncryption.lock(fixture.path))
    for text in ["correct horse ", "Correct horse", "x", String(repeating: "a", count: 5000)] {
      #expect(throws: StorageError.wrongKey("this passphrase does not open the store")) {
        try StoreEncryption.unlock(fixture.path, with: secret(text))
      }
    }
    #expect(
      throws: StorageError.wrongKey(
        "the store has no key of the kind key-file; `hrgate store keys list` lists its keys")
    ) {
      try StoreEncryption.unlock(fixture.path, with: .keyFile(.random(64)))
    }
    #expect(try isLocked(fixture))
    try fixture.unlock()
    #expect(try !isLocked(fixture))
  }

  @Test func `each slot opens the store, and one that was removed does not`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let contents = try SecretBytes.random(64)
    #expect(try StoreEncryption.addKey(.keyFile(contents), to: fixture.path) == "key-file")
    #expect(
      try StoreEncryption.addKey(secret("battery"), to: fixture.path, cost: testCost) == "passphrase-2")
    #expect(throws: StorageError.self) {
      try StoreEncryption.addKey(secret("x"), named: "key-file", to: fixture.path, cost: testCost)
    }
    let slots = try StoreEncryption.status(ofStoreAt: fixture.path).slots
    #expect(slots.map(\.name) == ["passphrase", "key-file", "passphrase-2"])
    #expect(slots.map(\.kind) == ["passphrase", "key-file", "passphrase"])
    #expect(slots.allSatisfy { abs($0.created.timeIntervalSinceNow) < 600 })
    for secret in [KeySecret.keyFile(contents), try secret("battery"), try secret("correct horse")] {
      #expect(try StoreEncryption.lock(fixture.path))
      try StoreEncryption.unlock(fixture.path, with: secret)
    }
    try StoreEncryption.removeKey(named: "passphrase", from: fixture.path)
    #expect(throws: StorageError.self) { try fixture.unlock() }
    try StoreEncryption.unlock(fixture.path, with: secret("battery"))
    try StoreEncryption.removeKey(named: "passphrase-2", from: fixture.path)
    #expect(throws: StorageError.self) {
      try StoreEncryption.removeKey(named: "key-file", from: fixture.path)
    }
    #expect(throws: StorageError.self) {
      try StoreEncryption.removeKey(named: "missing", from: fixture.path)
    }
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `a damaged slot does not hide a later one`() throws {
    let (made, dataKey) = try KeyFile.create()
    var keys = made
    // Give the slot the cost N = 1, which scrypt rejects.
    for (name, text) in [("one", "battery"), ("two", "correct horse"), ("three", "staple")] {
      var slot = try KeySlot(name, dataKey, of: keys.store, with: secret(text), cost: testCost)
      if name == "one" { slot.cost = 1 }
      try keys.add(slot)
    }
    for text in ["correct horse", "staple"] {
      let key = try keys.open(with: secret(text))
      #expect(memcmp(key.start, dataKey.start, dataKey.count) == 0)
    }
    #expect(throws: KeyMath.failure) { try keys.open(with: secret("battery")) }
  }

  @Test func `keys that are added at the same time are all kept`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let path = fixture.path
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        _ = try StoreEncryption.addKey(.keyFile(.random(64)), named: "\(number)", to: path)
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock(\.self) == [])
    let names = try StoreEncryption.status(ofStoreAt: path).slots.map(\.name)
    #expect(Set(names) == Set((0..<8).map(String.init) + ["passphrase"]))
  }

  @Test func `keys are neither added nor removed while another program opens or converts the store`()
    async throws
  {
    let fixture = try await EncryptedStoreFixture()
    let path = fixture.path
    _ = try StoreEncryption.addKey(.keyFile(.random(64)), to: path)
    let keys = fixture.file("-keys")
    try OpeningLock.held(forDatabaseAt: path) {
      // Run both calls concurrently, because each one waits until its timeout.
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        #expect(throws: StorageError.self) {
          if number == 0 {
            _ = try StoreEncryption.addKey(.keyFile(.random(64)), to: path)
          } else {
            try StoreEncryption.removeKey(named: "key-file", from: path)
          }
        }
      }
    }
    #expect(fixture.file("-keys") == keys)
  }

  /// Returns two fields of the key's line in /proc/keys, which has serial, flags, usage, remaining time,
  /// permissions, …
  private func listedKey(of store: StoreIdentifier) throws -> (serial: String, timeout: String) {
    let name = store.bytes.map { String(format: "%02x", $0) }.joined()
    let lines = try KernelText.read("/proc/keys").split(separator: "\n")
    let words = try #require(lines.first { $0.contains("hrgate:store:\(name)") }).split(separator: " ")
    return (String(words[0]), String(words[3]))
  }

  @Test(.enabled(if: access("/proc/keys", R_OK) == 0, "the kernel does not list keys"))
  func `unlocking again replaces the timeout, and the store stays unlocked meanwhile`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let store = try #require(try EncryptedFiles.store(at: fixture.path))
    let first = try listedKey(of: store)
    #expect(first.timeout == "perm")
    try StoreEncryption.unlock(fixture.path, with: secret("correct horse"), timeout: 7200)
    let timed = try listedKey(of: store)
    #expect(timed.timeout != "perm" && timed.timeout != "expd")
    try fixture.unlock()
    let last = try listedKey(of: store)
    #expect(last.timeout == "perm")
    // Unlocking updates the existing key, so that other programs find a key at any time.
    #expect(timed.serial == first.serial && last.serial == first.serial)
    // The store can also be unlocked again after `lock`, which revokes the key.
    #expect(try StoreEncryption.lock(fixture.path))
    try fixture.unlock()
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `a key cannot be added to a locked store without another key`() async throws {
    let fixture = try await EncryptedStoreFixture()
    #expect(try StoreEncryption.lock(fixture.path))
    #expect(throws: StorageError.locked) {
      try StoreEncryption.addKey(secret("x"), to: fixture.path, cost: testCost)
    }
    let name = try StoreEncryption.addKey(
      secret("x"), to: fixture.path, unlockedWith: secret("correct horse"), cost: testCost)
    #expect(name == "passphrase-2")
    #expect(try isLocked(fixture))
  }

  @Test func `one damaged copy of the key file is ignored, two are an error`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let file = URL(filePath: fixture.path + "-keys")
    let sound = fixture.file("-keys")
    #expect(sound.count == 65_536)
    var generator = SeededGenerator(seed: 1)
    for copy in [0, 32_768] {
      for _ in 0..<12 {
        var bytes = sound
        // Flip a bit in one of the two copies of the key file, in its header or its slot.
        bytes[copy + Int.random(in: 0..<300, using: &generator)] ^=
          1 << UInt8.random(in: 0..<8, using: &generator)
        try Data(bytes).write(to: file)
        _ = try StoreEncryption.lock(fixture.path)
        try fixture.unlock()
      }
    }
    var bytes = sound
    for copy in [0, 32_768] { bytes[copy + 60] ^= 1 }
    for damaged in [bytes, Array(sound.prefix(100)), []] {
      try Data(damaged).write(to: file)
      #expect { try fixture.unlock() } throws: { "\($0)".contains("is damaged") }
      let status = try StoreEncryption.status(ofStoreAt: fixture.path)
      #expect(status.isEncrypted && status.problem?.contains("is damaged") == true)
    }
    // Cut the file within its second copy.
    try Data(sound.prefix(40_000)).write(to: file)
    try fixture.unlock()
    try FileManager.default.removeItem(at: file)
    #expect { try fixture.unlock() } throws: { "\($0)".contains("is missing") }
    // The store still works, because its key is in the keyring.
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `the key file of another store is refused`() async throws {
    let (one, other) = (try await EncryptedStoreFixture(), try await EncryptedStoreFixture())
    try Data(other.file("-keys")).write(to: URL(filePath: one.path + "-keys"))
    #expect { try one.unlock() } throws: { "\($0)".contains("another store") }
  }

  /// Measurements that are recorded while the store is locked are encrypted with the public key.
  @Test func `a key file with another public key does not unlock the store`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let keys = try #require(try KeyFile.read(ofStoreAt: fixture.path))
    var forged = keys
    forged.publicKey = try KeyFile.create().file.publicKey
    try forged.write(ofStoreAt: fixture.path)
    let error = #expect(throws: StorageError.self) {
      _ = try StoreEncryption.addKey(try secret("other"), to: fixture.path, cost: testCost)
    }
    #expect(error?.description.contains("public key") == true)
    #expect(try StoreEncryption.lock(fixture.path))
    #expect(throws: StorageError.self) { try fixture.unlock() }
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isLocked)
    try keys.write(ofStoreAt: fixture.path)
    try fixture.unlock()
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `random bytes are no key file`() throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 2)
    let path = folder.path("s.sqlite")
    let (made, _) = try KeyFile.create()
    try made.write(ofStoreAt: path)
    let sound = try #require(FileManager.default.contents(atPath: path + "-keys"))
    #expect(try KeyFile.read(ofStoreAt: path)?.store == made.store)
    for _ in 0..<200 {
      var bytes = Array(sound)
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let place = Int.random(in: 0..<120, using: &generator)
        for copy in [0, 32_768] { bytes[copy + place] = UInt8.random(in: 0...255, using: &generator) }
      }
      try Data(bytes).write(to: URL(filePath: path + "-keys"))
      let found = try? KeyFile.read(ofStoreAt: path)
      #expect(found == nil || found?.store == made.store)
    }
  }

  @Test func `the newer copy is valid`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let old = fixture.file("-keys")
    _ = try StoreEncryption.addKey(secret("x"), to: fixture.path, cost: testCost)
    let new = fixture.file("-keys")
    for bytes in [old.prefix(32_768) + new.suffix(32_768), new.prefix(32_768) + old.suffix(32_768)] {
      try Data(bytes).write(to: URL(filePath: fixture.path + "-keys"))
      #expect(try StoreEncryption.status(ofStoreAt: fixture.path).slots.count == 2)
    }
  }

  /// Whether systemd-creds can be used. The key of the machine can be read only by root.
  private static let hasSystemd: Bool = {
    guard geteuid() == 0, SystemdCredential.program != nil, let probe = try? SecretBytes.random(32) else {
      return false
    }
    return (try? SystemdCredential.encrypt(probe)) != nil
  }()

  @Test(.enabled(if: hasSystemd, "systemd-creds is missing, not root, or has no key on this machine"))
  func `the machine opens the store with systemd-creds`() async throws {
    let fixture = try await EncryptedStoreFixture()
    #expect(try StoreEncryption.addKey(.systemd, to: fixture.path) == "systemd-creds")
    #expect(try StoreEncryption.lock(fixture.path))
    try StoreEncryption.unlock(fixture.path, with: .systemd)
    #expect(try await fixture.samples().count == 50)
  }

  @Test(.enabled(if: hasSystemd, "systemd-creds is missing, not root, or has no key on this machine"))
  func `no copy of a secret of systemd-creds stays in memory`() throws {
    let secret = try SecretBytes.random(512)
    let decrypted = try SystemdCredential.decrypt(try SystemdCredential.encrypt(secret))
    try secret.withBytes { bytes in
      try decrypted.withBytes { copy in
        #expect(copy.elementsEqual(bytes))
        // Compare only bytes from the middle, because allocators overwrite the first bytes of freed memory.
        let places = try ProcessMemory.places(of: UnsafeRawBufferPointer(rebasing: bytes[256..<320]))
        #expect(places.count == 2)
        #expect(places.contains { bytes.covers($0) } && places.contains { copy.covers($0) })
      }
    }
  }

  @Test func `errors name the cause if the kernel refuses keyrings`() {
    for error in [ENOSYS, EPERM, EACCES] {
      #expect("\(Keyring.failure(error))".contains("keyctl"))
    }
  }

  @Test func `a passphrase opens a slot in less than a second at the cost of the product`() async throws {
    let (keys, dataKey) = try KeyFile.create()
    let slot = try KeySlot("p", dataKey, of: keys.store, with: secret("correct horse"))
    let clock = ContinuousClock()
    var key: SecretBytes?
    let time = try clock.measure { key = try slot.open(of: keys.store, with: secret("correct horse")) }
    #expect(key.map { memcmp($0.start, dataKey.start, 64) } == 0)
    // The limit is several times the measured time, because the machine also does other work.
    #expect(time < .seconds(5))
    #expect(try slot.open(of: keys.store, with: secret("correct")) == nil)
    #expect(try slot.open(of: .random(), with: secret("correct horse")) == nil)
  }
}
