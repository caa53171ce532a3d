import Foundation
import Glibc
import Synchronization

/// Lets one program at a time do something with a store: follow its monitors, where two would each store what
/// arrives, as if measured twice; carry it to a destination.
///
/// It is on a file of its own beside the database's, because closing a second descriptor of the database's
/// file would lose SQLite's locks on it. The file holds the number of the process, and stays when the program
/// ends.
final class ProgramLock: Sendable {
  private enum Holding {
    case none
    /// In memory, or where files cannot be locked, as a store there has been used so far.
    case withoutFile
    case file(descriptor: Int32)
  }

  /// The lock's file and the database's; nil for a database in memory, which no other program has.
  private let paths: (file: String, database: String)?
  private let holding = Mutex(Holding.none)

  /// How long to wait for another, in microseconds: who looks has the lock for an instant, and a program that
  /// ends for a little longer.
  private let patience: UInt32

  init(at file: String, ofDatabaseAt database: String, patience: UInt32) {
    paths = (file, database)
    self.patience = patience
  }

  /// Of who follows the store's monitors.
  init(ofGatewayOfDatabaseAt database: String?) {
    paths = database.map { ($0 + "-gateway", $0) }
    patience = 500_000
  }

  deinit { giveBack() }

  /// Takes the lock, until it is given back or this object or the program ends.
  /// - Parameter taken: the failure where somebody has it, be it by this object; the process, where that is
  ///   known.
  func take(orFailWith taken: (_ process: Int32?) -> StorageFailure) throws(StorageFailure) {
    try holding.withLock { holding throws(StorageFailure) in
      guard case .none = holding else { throw taken(getpid()) }
      guard let paths else { return holding = .withoutFile }
      holding = try take(paths.file, ofDatabaseAt: paths.database, taken)
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

  private func take(
    _ file: String, ofDatabaseAt database: String, _ taken: (Int32?) -> StorageFailure
  ) throws(StorageFailure) -> Holding {
    let descriptor = try StoreFile.openCompanion(file, ofDatabaseAt: database)
    switch FileLock.take(descriptor, patience: patience) {
    case 0:
      // For who reads it in an error. Where it cannot be written, only the number is missing.
      _ = ftruncate(descriptor, 0)
      _ = "\(getpid())\n".withCString { pwrite(descriptor, $0, strlen($0), 0) }
      return .file(descriptor: descriptor)
    case EWOULDBLOCK:
      defer { close(descriptor) }
      throw taken(Self.process(in: descriptor))
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

  /// The process that took the lock last, where its file says so.
  var process: Int32? {
    guard let paths else { return nil }
    let descriptor = open(paths.file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return Self.process(in: descriptor)
  }

  /// Whether a program has the lock, this one or another.
  var isTaken: Bool {
    if case .withoutFile = holding.withLock(\.self) { return true }
    guard let paths else { return false }
    let descriptor = open(paths.file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    // If the file may not be read, nobody knows; then the states that a program left in the store are the
    // best there is.
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    return FileLock.isTaken(descriptor)
  }
}
