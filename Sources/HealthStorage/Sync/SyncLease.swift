import Glibc
import Synchronization

/// The lock that a program needs in order to sync to a destination, because two programs would send
/// everything twice. It is held until this object is released or the program ends.
package final class SyncLease: Sendable {
  private let letGo: @Sendable () -> Void

  init(_ letGo: @escaping @Sendable () -> Void) {
    self.letGo = letGo
  }

  deinit { letGo() }
}

/// The locks of destinations in a database in memory, which other programs cannot open.
final class SyncLeases: Sendable {
  private let held = Mutex<Set<Int64>>([])

  func take(_ destination: Int64) -> Bool { held.withLock { $0.insert(destination).inserted } }
  func release(_ destination: Int64) { held.withLock { _ = $0.remove(destination) } }
  func isTaken(_ destination: Int64) -> Bool { held.withLock { $0.contains(destination) } }
}

extension SyncLedger {
  /// Takes the lock of a destination.
  ///
  /// - Throws: `StorageError`: `destinationRuns` if this or another program holds the lock; `file` if the
  ///   lock file cannot be accessed.
  package func lease(of destination: SyncDestinationRecord) throws -> SyncLease {
    let id = destination.id
    guard let path = database.path else {
      let leases = database.leases
      guard leases.take(id) else {
        throw StorageError.destinationRuns(name: destination.name, process: getpid())
      }
      return SyncLease { leases.release(id) }
    }
    let lock = ProgramLock(of: id, ofDatabaseAt: path)
    try lock.take { .destinationRuns(name: destination.name, process: $0) }
    return SyncLease { lock.release() }
  }

  /// Returns whether any program, including this one, is syncing to the destination now.
  package func isRunning(_ destination: SyncDestinationRecord) -> Bool {
    guard let path = database.path else { return database.leases.isTaken(destination.id) }
    return ProgramLock(of: destination.id, ofDatabaseAt: path).isTaken
  }
}

extension ProgramLock {
  /// Creates a lock with a short timeout, because waiting blocks a task. The timeout is slightly longer than
  /// another program needs to check the lock.
  fileprivate convenience init(of destination: Int64, ofDatabaseAt path: String) {
    self.init(at: Self.file(of: destination, path), ofDatabaseAt: path, timeout: 20_000)
  }

  fileprivate static func file(of destination: Int64, _ path: String) -> String {
    path + "-sync-\(destination)"
  }
}

extension SampleDatabase {
  /// Removes the lock file of a deleted destination, whose ID is never used again.
  func forgetLease(of destination: Int64) {
    if let path { _ = unlink(ProgramLock.file(of: destination, path)) }
  }
}
