import FileSystem
import Glibc
import Synchronization

/// A lock that only one program at a time holds on a store: the gateway, or the sync to one destination. Two
/// gateways would store each measurement twice.
///
/// It uses a file beside the database, because closing a second descriptor of the database file would release
/// SQLite's locks on it. The file contains the process ID, and stays when the program ends.
final class ProgramLock: Sendable {
  private enum Holding {
    case none
    /// The database is in memory, or the file system has no locks. The store can still be used, unprotected.
    case withoutFile
    case file(FileLock)
  }

  /// The paths of the lock file and the database; nil for a database in memory, which other programs cannot
  /// open.
  private let paths: (file: String, database: String)?
  private let holding = Mutex(Holding.none)

  /// Timeout in microseconds. A program that only checks the lock holds it for a moment, and one that is
  /// ending a little longer.
  private let timeout: UInt32

  init(at file: String, ofDatabaseAt database: String, timeout: UInt32) {
    paths = (file, database)
    self.timeout = timeout
  }

  /// The lock that a gateway holds.
  init(ofGatewayOfDatabaseAt database: String?) {
    paths = database.map { ($0 + "-gateway", $0) }
    timeout = 500_000
  }

  /// Takes the lock. It is held until `giveBack()`, or until this object or the process ends.
  /// - Parameter taken: makes the error to throw if the lock is held, even by this object, from the holder's
  ///   process ID if known.
  func take(orFailWith taken: (_ process: Int32?) -> StorageError) throws(StorageError) {
    try holding.withLock { holding throws(StorageError) in
      guard case .none = holding else { throw taken(getpid()) }
      guard let paths else { return holding = .withoutFile }
      holding = try take(paths.file, ofDatabaseAt: paths.database, taken)
    }
  }

  /// Releases the lock.
  func giveBack() {
    holding.withLock { holding in
      if case .file(let lock) = holding { lock.release() }
      holding = .none
    }
  }

  private func take(
    _ file: String, ofDatabaseAt database: String, _ taken: (Int32?) -> StorageError
  ) throws(StorageError) -> Holding {
    let descriptor = try StoreFile.openCompanion(file, ofDatabaseAt: database)
    do throws(FileLock.LockError) {
      let lock = try FileLock(descriptor: descriptor, timeout: timeout)
      lock.recordProcess()
      return .file(lock)
    } catch {
      switch error {
      case .taken(let process): throw taken(process)
      case .system: return .withoutFile
      }
    }
  }

  /// The process that last took the lock, if the lock file names one.
  var process: Int32? { paths.flatMap { FileLock.process(in: $0.file) } }

  /// Whether any program holds the lock, including this one.
  var isTaken: Bool {
    if case .withoutFile = holding.withLock(\.self) { return true }
    guard let paths else { return false }
    // If the file cannot be read, assume that a program runs. Callers then show the state that it stored
    // last.
    return FileLock.isTaken(paths.file) ?? true
  }
}
