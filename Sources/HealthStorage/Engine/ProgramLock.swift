import FileSystem
import Glibc
import Synchronization

/// A lock that only one program at a time can hold for a store: the gateway's lock, or the lock for syncing
/// to one destination. Without it, two gateways would store each measurement twice, for example.
///
/// It locks a separate file, because closing the database file would release SQLite's locks on it. The lock
/// file contains the process ID, and is not removed when the program ends.
final class ProgramLock: Sendable {
  private enum Holding {
    case none
    /// There is no lock file, because the database is in memory or the file system does not support locks.
    /// The store is used without a lock.
    case withoutFile
    case file(FileLock)
  }

  /// Locks that objects of this process have handed over, by their files.
  private static let handedOver = Mutex<[FileIdentity.Number: FileLock]>([:])

  /// The paths of the lock file and the database; `nil` for a database in memory, which other programs cannot
  /// open.
  private let paths: (file: String, database: String)?
  private let holding = Mutex(Holding.none)

  /// How long to wait for the lock, in microseconds. A program that only checks the lock holds it for a
  /// moment; a program that is ending may hold it a little longer.
  private let timeout: UInt32

  init(at file: String, ofDatabaseAt database: String, timeout: UInt32) {
    paths = (file, database)
    self.timeout = timeout
  }

  /// Creates the lock of a gateway, without locking it.
  init(ofGatewayOfDatabaseAt database: String?) {
    paths = database.map { ($0 + "-gateway", $0) }
    timeout = 500_000
  }

  /// Takes the lock. It is released by `release()`, when this object is released, or when the process ends.
  /// - Parameter taken: Creates the error to throw if the lock is already taken, even by this object. It
  ///   receives the process that holds the lock, if known.
  func take(orFailWith taken: (_ process: Int32?) -> StorageError) throws(StorageError) {
    try holding.withLock { holding throws(StorageError) in
      guard case .none = holding else { throw taken(getpid()) }
      guard let paths else { return holding = .withoutFile }
      holding = try take(paths.file, ofDatabaseAt: paths.database, taken)
    }
  }

  /// Releases the lock.
  func release() {
    holding.withLock { holding in
      if case .file(let lock) = holding { lock.release() }
      holding = .none
    }
  }

  /// Keeps the lock until another object of this process takes it, so that no other program gets it in
  /// between. If none takes it, it is held until ``releaseHandedOver()``.
  func handOver() {
    holding.withLock { holding in
      if case .file(let lock) = holding, let paths, let number = FileIdentity.number(of: paths.file) {
        Self.handedOver.withLock { $0[number] = lock }
      }
      holding = .none
    }
  }

  /// Releases a lock that was handed over and that no object has taken.
  func releaseHandedOver() { claimHandedOver()?.release() }

  private func claimHandedOver() -> FileLock? {
    guard let paths, let number = FileIdentity.number(of: paths.file) else { return nil }
    return Self.handedOver.withLock { $0.removeValue(forKey: number) }
  }

  private func take(
    _ file: String, ofDatabaseAt database: String, _ taken: (Int32?) -> StorageError
  ) throws(StorageError) -> Holding {
    if let lock = claimHandedOver() { return .file(lock) }
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

  /// The process that last took the lock; `nil` if it is not known.
  var process: Int32? { paths.flatMap { FileLock.process(in: $0.file) } }

  /// Whether any program holds the lock, including this one.
  var isTaken: Bool {
    if case .withoutFile = holding.withLock(\.self) { return true }
    guard let paths else { return false }
    // If the file cannot be read, assume that another program holds the lock. Callers then use the state that
    // it has stored.
    return FileLock.isTaken(paths.file) ?? true
  }
}
