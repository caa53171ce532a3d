import Foundation
import Glibc
import Synchronization

/// Lets one program at a time follow the monitors of a store: two would each store what arrives, as if
/// measured twice.
///
/// It is on a file of its own beside the database's, because closing a second descriptor of the database's
/// file would lose SQLite's locks on it. The file holds the number of the process, and stays when the program
/// ends.
final class GatewayLock: Sendable {
  /// Microseconds: who looks has the lock for an instant, and a gateway that ends for a little longer.
  private static let patience: UInt32 = 500_000

  private enum Holding {
    case none
    /// In memory, or where files cannot be locked, as a store there has been used so far.
    case withoutFile
    case file(descriptor: Int32)
  }

  /// nil for a database in memory, which no other program has.
  private let path: String?
  private let holding = Mutex(Holding.none)

  init(ofDatabaseAt path: String?) {
    self.path = path
  }

  deinit {
    if case .file(let descriptor) = holding.withLock(\.self) { close(descriptor) }
  }

  private static func file(ofDatabaseAt path: String) -> String { path + "-gateway" }

  /// Takes the lock, until this object or the program ends. Who has it already keeps it.
  /// - Throws: `gatewayRuns` where another has it.
  func take() throws(StorageFailure) {
    try holding.withLock { holding throws(StorageFailure) in
      guard case .none = holding else { return }
      holding = try path.map(Self.take) ?? .withoutFile
    }
  }

  private static func take(ofDatabaseAt path: String) throws(StorageFailure) -> Holding {
    let descriptor = try StoreFile.openCompanion(file(ofDatabaseAt: path), ofDatabaseAt: path)
    switch FileLock.take(descriptor, patience: patience) {
    case 0:
      // For who reads it in an error. Where it cannot be written, only the number is missing.
      _ = ftruncate(descriptor, 0)
      _ = "\(getpid())\n".withCString { pwrite(descriptor, $0, strlen($0), 0) }
      return .file(descriptor: descriptor)
    case EWOULDBLOCK:
      defer { close(descriptor) }
      throw .gatewayRuns(process: process(in: descriptor))
    default:
      close(descriptor)
      return .withoutFile
    }
  }

  private static func process(in descriptor: Int32) -> Int32? {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
      let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
      return Int32(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).prefix(while: \.isNumber))
    }
  }

  /// Whether a program has the lock, this one or another.
  var isTaken: Bool {
    if case .withoutFile = holding.withLock(\.self) { return true }
    guard let path else { return false }
    let descriptor = open(Self.file(ofDatabaseAt: path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    // If the file may not be read, nobody knows; then the states that a gateway left in the store are the
    // best there is.
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    return FileLock.isTaken(descriptor)
  }
}
