import CEncryptedFiles
import Foundation

/// Secret bytes in memory that is neither swapped nor included in core dumps. They are overwritten with zeros
/// when this object is released.
// @unchecked: only the function that creates the object writes to the memory.
package final class SecretBytes: @unchecked Sendable {
  let start: UnsafeMutablePointer<UInt8>
  package let count: Int

  /// Allocates memory filled with zeros.
  init(count: Int) throws(StorageError) {
    guard let memory = encrypted_memory_allocate(max(count, 1)) else {
      throw .file(operation: "allocate", path: "memory for a key", errno: ENOMEM)
    }
    start = memory.assumingMemoryBound(to: UInt8.self)
    self.count = count
  }

  deinit { encrypted_memory_free(start, max(count, 1)) }

  /// Copies bytes, and overwrites the original with zeros.
  package convenience init(taking bytes: inout [UInt8]) throws {
    try self.init(count: bytes.count)
    bytes.withUnsafeMutableBytes { buffer in
      guard let address = buffer.baseAddress else { return }
      memcpy(start, address, buffer.count)
      encrypted_memory_wipe(address, buffer.count)
    }
  }

  /// Copies bytes.
  init(copying bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard let memory = encrypted_memory_allocate(max(bytes.count, 1)) else {
      throw .file(operation: "allocate", path: "memory for a key", errno: ENOMEM)
    }
    start = memory.assumingMemoryBound(to: UInt8.self)
    count = bytes.count
    if let address = bytes.baseAddress { memcpy(memory, address, count) }
  }

  /// Calls `body` with the bytes, which are valid until it returns.
  func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: start, count: count)) }
  }

  /// Creates random secret bytes.
  static func random(_ count: Int) throws(StorageError) -> SecretBytes {
    let secret = try SecretBytes(count: count)
    guard encrypted_random(secret.start, count) else { throw KeyMath.failure }
    return secret
  }
}

/// The key functions of libcrypto.
enum KeyMath {
  static let failure = StorageError.encryption("libcrypto failed")

  static func random(_ count: Int) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard encrypted_random(&bytes, count) else { throw failure }
    return bytes
  }

  /// Returns the public key of a store. The second half of the data key is the private key.
  static func publicKey(ofDataKey dataKey: SecretBytes) throws(StorageError) -> [UInt8] {
    var publicKey = [UInt8](repeating: 0, count: 32)
    guard encrypted_public_key(dataKey.start + 32, &publicKey) else { throw failure }
    return publicKey
  }

  static func digest(_ bytes: [UInt8]) throws(StorageError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    guard encrypted_digest(bytes, bytes.count, &digest) else { throw failure }
    return digest
  }

  /// Computes a key from a passphrase with scrypt.
  /// - Parameter cost: The scrypt parameter N. The computation needs 1,024 × N bytes of memory.
  static func stretch(
    _ passphrase: SecretBytes, salt: [UInt8], cost: UInt64
  ) throws(StorageError) -> SecretBytes {
    let key = try SecretBytes(count: 32)
    let isDone = passphrase.start.withMemoryRebound(to: CChar.self, capacity: max(passphrase.count, 1)) {
      encrypted_scrypt($0, passphrase.count, salt, salt.count, cost, key.start)
    }
    guard isDone else { throw failure }
    return key
  }

  /// Computes a key from a random secret with HKDF and SHA-256.
  static func derive(
    from secret: SecretBytes, salt: [UInt8], purpose: String
  ) throws(StorageError) -> SecretBytes {
    let key = try SecretBytes(count: 32)
    guard encrypted_hkdf(secret.start, secret.count, salt, salt.count, purpose, key.start) else {
      throw failure
    }
    return key
  }
}
