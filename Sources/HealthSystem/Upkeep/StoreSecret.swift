import Foundation
import Glibc
import HealthKit
import HealthStorage

/// A secret that unlocks an encrypted store: a passphrase, a key file or systemd-creds. It is zeroed in
/// memory when it is released.
package struct StoreSecret: Sendable {
  let secret: KeySecret

  /// Maximum size of a passphrase or key file in bytes.
  private static let mostBytes = 65_536
  /// Minimum size of a key file in bytes. The encryption key derived from it has the same size.
  private static let leastKeyBytes = 32

  /// A secret that systemd-creds protects with the machine's TPM or host key.
  package static let systemd = StoreSecret(secret: .systemd)

  /// Creates the secret from a passphrase, and zeroes the caller's copy.
  /// - Throws: `HKError` if it is empty.
  package static func passphrase(taking bytes: inout [UInt8]) throws -> StoreSecret {
    guard !bytes.isEmpty else { throw HKError(.errorInvalidArgument, reason: "the passphrase is empty") }
    return StoreSecret(secret: .passphrase(try HKError.translating { try SecretBytes(taking: &bytes) }))
  }

  /// Reads a passphrase from the first line of a file. Only the owner may have access to the file.
  /// - Throws: `HKError`.
  package static func passphrase(inFile path: String) throws -> StoreSecret {
    var bytes = try privateContents(of: path)
    if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      for index in end..<bytes.count { bytes[index] = 0 }
      bytes.removeSubrange(end...)
    }
    guard !bytes.isEmpty else {
      throw HKError(
        .errorInvalidArgument, reason: "the first line of \(path) is empty; write the passphrase there")
    }
    return try passphrase(taking: &bytes)
  }

  /// Reads a key file. Only the owner may have access to the file.
  /// - Throws: `HKError`.
  package static func keyFile(_ path: String) throws -> StoreSecret {
    var bytes = try privateContents(of: path)
    guard bytes.count >= leastKeyBytes else {
      throw HKError(
        .errorInvalidArgument,
        reason: "\(path) has fewer than \(leastKeyBytes) bytes, which is too short for a key")
    }
    return StoreSecret(secret: .keyFile(try HKError.translating { try SecretBytes(taking: &bytes) }))
  }

  /// Reads a key file, and creates it with random bytes if it is missing.
  /// - Throws: `HKError`.
  package static func keyFile(makingIfMissing path: String) throws -> StoreSecret {
    if access(path, F_OK) != 0 {
      try HKError.translating { try StoreEncryption.makeKeyFile(path, count: 2 * leastKeyBytes) }
    }
    return try keyFile(path)
  }

  /// Reads a file or pipe. Throws an error if other users can read it.
  private static func privateContents(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("open", path) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFIFO else {
      throw HKError(.errorInvalidArgument, reason: "\(path) is neither a file nor a pipe")
    }
    guard status.st_mode & (isCredential(path, status) ? 0o037 : 0o077) == 0 else {
      throw HKError(
        .errorInvalidArgument,
        reason:
          "others can read \(path) (mode \(String(status.st_mode & 0o777, radix: 8))); run: chmod 600 \(path)"
      )
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0 else {
      throw HKError(.errorInvalidArgument, reason: "\(path) belongs to another user; use a file of your own")
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: mostBytes + 1)
    // Reserve the maximum size, because growing the array would leave copies of the bytes in memory.
    bytes.reserveCapacity(mostBytes + 1)
    defer { for index in chunk.indices { chunk[index] = 0 } }
    while bytes.count <= mostBytes {
      let count = read(descriptor, &chunk, mostBytes + 1 - bytes.count)
      guard count >= 0 else { throw failure("read", path) }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
    }
    throw HKError(
      .errorInvalidArgument,
      reason: "\(path) has more than \(mostBytes) bytes, which is too long for a passphrase or key")
  }

  /// Whether a file is a credential of the service. systemd gives it mode 0440 and an access list with the
  /// service's user, for which `stat` shows the permissions of the group. The folder is private to the user.
  private static func isCredential(_ path: String, _ status: stat) -> Bool {
    guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty
    else { return false }
    return status.st_uid == 0 && path.hasPrefix(folder + "/")
  }

  private static func failure(_ operation: String, _ path: String) -> HKError {
    let failure = StorageError.file(operation: operation, path: path, errno: errno)
    return HKError(.errorDatabaseInaccessible, reason: failure.description)
  }
}
