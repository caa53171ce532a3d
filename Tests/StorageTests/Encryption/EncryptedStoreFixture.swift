import CEncryptedFiles
import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Whether the kernel has keyrings. A container may refuse them.
let hasKeyring = StoreEncryption.hasKeyring
let withoutKeyring: Comment = "the kernel or the container refuses keyrings (add_key, keyctl)"

/// scrypt's cost parameter N. It is small because the passphrases of tests need no protection.
let testCost: UInt64 = 1 << 10

func secret(_ text: String) throws -> KeySecret {
  var bytes = Array(text.utf8)
  return .passphrase(try SecretBytes(taking: &bytes))
}

/// An encrypted store in a temporary folder. `deinit` removes its key from the keyring.
final class EncryptedStoreFixture {
  let folder: TemporaryFolder
  var path: String { folder.path("s.sqlite") }

  init(_ records: [SampleRecord] = mixedRecords(50), isEncrypted: Bool = true) async throws {
    folder = try TemporaryFolder()
    let store = try SampleDatabase.open(at: path)
    try await store.save(records)
    try store.close()
    if isEncrypted { try encrypt() }
  }

  deinit { _ = try? StoreEncryption.lock(path) }

  func encrypt() throws { try StoreEncryption.encrypt(path, with: secret("correct horse"), cost: testCost) }
  func unlock() throws { try StoreEncryption.unlock(path, with: secret("correct horse")) }

  func samples() async throws -> [SampleRecord] {
    let store = try SampleDatabase.open(at: path)
    let samples = try await store.samples(.everything, order: [.insertion(ascending: true)])
    try store.close()
    return samples
  }

  func file(_ suffix: String = "") -> [UInt8] {
    (FileManager.default.contents(atPath: path + suffix)).map(Array.init) ?? []
  }

  /// Returns the suffixes of the store's files in the folder, sorted. The suffix of the database itself is
  /// empty.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
      .map { $0.replacing("s.sqlite", with: "") }
  }

  /// Returns `names` without the write-ahead log, which a read-only connection leaves behind if it is closed
  /// last.
  func lastingNames() throws -> [String] { try names().filter { !["-wal", "-shm"].contains($0) } }

  /// Returns the decrypted content of the database file, as SQLite sees it.
  func content(of path: String? = nil) throws -> [UInt8] {
    let path = path ?? self.path
    let size = Int(StoreFile.size(at: path)) - ENCRYPTED_HEADER
    var bytes = [UInt8](repeating: 0, count: size)
    #expect(encrypted_file_read(path, &bytes, size, 0) == size)
    return bytes
  }
}

/// Returns records whose UUIDs are in no store.
func newRecords(_ count: Int) -> [SampleRecord] {
  mixedRecords(count).map { record in
    var record = record
    record.uuid = UUID()
    return record
  }
}

/// Returns the entropy in bits per byte, assuming independent bytes.
func entropy(_ bytes: some Collection<UInt8>) -> Double {
  var counts = [Int](repeating: 0, count: 256)
  for byte in bytes { counts[Int(byte)] += 1 }
  return counts.filter { $0 > 0 }.reduce(0) { sum, count in
    let share = Double(count) / Double(bytes.count)
    return sum - share * log2(share)
  }
}

extension Collection<UInt8> {
  func containsBytes(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return Data(self).range(of: Data(wanted)) != nil
  }
}
