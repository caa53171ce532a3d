import FileSystem
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
    case file(FileLock)
  }

  /// The lock's file and the database's; nil for a database in memory, which no other program has.
  private let paths: (file: String, database: String)?
  private let holding = Mutex(Holding.none)

  /// How long to wait for another program, in microseconds: a program that looks has the lock for an instant,
  /// and one that is ending for a little longer.
  private let timeout: UInt32

  init(at file: String, ofDatabaseAt database: String, timeout: UInt32) {
    paths = (file, database)
    self.timeout = timeout
  }

  /// Of who follows the store's monitors.
  init(ofGatewayOfDatabaseAt database: String?) {
    paths = database.map { ($0 + "-gateway", $0) }
    timeout = 500_000
  }

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
    holding.withLock { holding in
      if case .file(let lock) = holding { lock.release() }
      holding = .none
    }
  }

  private func take(
    _ file: String, ofDatabaseAt database: String, _ taken: (Int32?) -> StorageFailure
  ) throws(StorageFailure) -> Holding {
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

  /// The process that took the lock last, if its file names one.
  var process: Int32? { paths.flatMap { FileLock.process(in: $0.file) } }

  /// Whether a program has the lock, this one or another.
  var isTaken: Bool {
    if case .withoutFile = holding.withLock(\.self) { return true }
    guard let paths else { return false }
    // If the file may not be read, the states that a program left in the store are the best there is.
    return FileLock.isTaken(paths.file) ?? true
  }
}
