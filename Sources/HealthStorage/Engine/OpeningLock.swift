import FileSystem
import Foundation
import Glibc

/// Makes sure that only one program at a time opens a store, so that its tables are created only once.
///
/// It locks the directory and not the file, because closing the database file would release SQLite's locks on
/// it.
enum OpeningLock {
  /// How long to wait for another program, in microseconds.
  private static let timeout: UInt32 = 5_000_000

  /// - Throws: `StorageError.sqlite` (`SQLITE_BUSY`) if another program holds the lock for more than five
  ///   seconds. If the directory cannot be locked at all, `body` is called without a lock.
  static func held<Value>(forDatabaseAt path: String, _ body: () throws -> Value) throws -> Value {
    let descriptor = open(path.enclosingFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return try body() }
    let lock: FileLock?
    do throws(FileLock.LockError) {
      lock = try FileLock(descriptor: descriptor, timeout: timeout)
    } catch {
      guard case .system = error else {
        throw StorageError.sqlite(
          code: "SQLITE_BUSY",
          message: "another program has been opening a store in \(path.enclosingFolder) for 5 s")
      }
      lock = nil
    }
    defer { lock?.release() }
    return try body()
  }
}
