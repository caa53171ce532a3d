import FileSystem
import Foundation
import Glibc

/// Lets only one program at a time open a store, so that only one creates its tables.
///
/// The lock is on the directory, because closing a second descriptor of the database file would release
/// SQLite's locks on it.
enum OpeningLock {
  /// Microseconds.
  private static let timeout: UInt32 = 5_000_000

  /// - Throws: `StorageError.sqlite` (`SQLITE_BUSY`) if another program takes longer than five seconds. A
  ///   directory that cannot be locked at all is used unlocked.
  static func held<Value>(forDatabaseAt path: String, _ body: () throws -> Value) throws -> Value {
    let descriptor = open(path.enclosingFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return try body() }
    let lock: FileLock?
    do throws(FileLock.LockError) {
      lock = try FileLock(descriptor: descriptor, timeout: timeout)
    } catch {
      guard case .system = error else {
        throw StorageError.sqlite(code: "SQLITE_BUSY", message: "another program is opening a store here")
      }
      lock = nil
    }
    defer { lock?.release() }
    return try body()
  }
}
