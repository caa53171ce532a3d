import Foundation
import Glibc
import Synchronization

/// Lets one program at a time follow the monitors of a store: two would each store what arrives, as if it had been measured twice.
///
/// The kernel takes it from a program that ends, however it ends. It is on a file of its own beside the database's, with the number of
/// the process in it: whoever closes a second descriptor of the database's file loses SQLite's locks on it.
final class GatewayLock: Sendable {
  /// Microseconds. Who only looks has the lock for an instant, and a gateway that ends may have it for a little longer.
  private static let step: UInt32 = 20_000
  private static let patience: UInt32 = 500_000

  /// nil for a database in memory, which no other process can follow monitors for.
  private let path: String?
  private let descriptor = Mutex<Int32?>(nil)

  init(ofDatabaseAt path: String?) {
    self.path = path.map { $0 + "-gateway" }
  }

  deinit {
    if let descriptor = descriptor.withLock(\.self) { close(descriptor) }
  }

  /// Takes the lock, until this object or the program ends. Who has it already keeps it.
  /// - Throws: `gatewayRuns` where another has it.
  func take() throws(StorageFailure) {
    guard let path else { return }
    try descriptor.withLock { held throws(StorageFailure) in
      if held == nil { held = try Self.take(path) }
    }
  }

  private static func take(_ path: String) throws(StorageFailure) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .file(operation: "create", path: path, errno: errno) }
    var waited: UInt32 = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let reason = errno
      guard reason == EWOULDBLOCK || reason == EINTR, waited < patience else {
        defer { close(descriptor) }
        throw reason == EWOULDBLOCK
          ? .gatewayRuns(process: process(in: descriptor))
          : .file(operation: "lock", path: path, errno: reason)
      }
      usleep(step)
      waited += step
    }
    // For who reads it in an error. Where it cannot be written, nothing is missing but the number.
    let number = "\(getpid())\n"
    _ = ftruncate(descriptor, 0)
    _ = number.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    return descriptor
  }

  private static func process(in descriptor: Int32) -> Int32? {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
      let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
      return Int32(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).prefix(while: \.isNumber))
    }
  }

  /// Whether a program has the lock, this one or another. Where that cannot be told, none.
  var isTaken: Bool {
    guard let path else { return false }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
