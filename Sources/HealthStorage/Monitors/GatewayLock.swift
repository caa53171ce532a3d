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

  deinit { giveBack() }

  private static func file(ofDatabaseAt path: String) -> String { path + "-gateway" }

  /// Takes the lock, until it is given back or this object or the program ends.
  /// - Throws: `gatewayRuns` where somebody has it, be it by this object.
  func take() throws(StorageFailure) {
    try holding.withLock { holding throws(StorageFailure) in
      guard case .none = holding else { throw .gatewayRuns(process: getpid()) }
      holding = try path.map(Self.take) ?? .withoutFile
    }
  }

  /// Lets another take it.
  func giveBack() {
    let held = holding.withLock { holding in
      defer { holding = .none }
      return holding
    }
    if case .file(let descriptor) = held { close(descriptor) }
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
