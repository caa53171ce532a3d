import Glibc
import Synchronization

/// An exclusive lock on a file (`flock`). The kernel releases it when the process ends, even if it is killed.
package final class FileLock: Sendable {
  package enum LockError: Error {
    /// The file is already locked. `process` is the ID of the process that locked it, if recorded in the
    /// file.
    case taken(process: Int32?)
    /// The file cannot be opened or locked.
    case system(operation: String, errno: Int32)
  }

  /// The time between two attempts to lock, in microseconds.
  private static let interval: UInt32 = 5000

  /// The file descriptor; -1 after `release`.
  private let descriptor: Mutex<Int32>
  /// The path of the file to remove when the lock is released; `nil` to keep the file.
  private let path: String?

  /// Locks an open file. The descriptor is closed when the lock is released or if locking fails.
  /// - Parameter timeout: How long to wait if the file is already locked, in microseconds.
  package init(descriptor: Int32, timeout: UInt32 = 0) throws(LockError) {
    try Self.lock(descriptor, timeout)
    path = nil
    self.descriptor = Mutex(descriptor)
  }

  /// Creates a file and locks it. The file is removed when the lock is released.
  /// - Parameter timeout: How long to wait if the file is already locked, in microseconds.
  package init(temporaryFile path: String, timeout: UInt32 = 0) throws(LockError) {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(operation: "create", errno: errno) }
      try Self.lock(descriptor, timeout)
      // The previous owner of the lock may have removed the file after it was opened here. In that case, try
      // again.
      if Self.isSameFile(descriptor, path) {
        self.path = path
        self.descriptor = Mutex(descriptor)
        return
      }
      close(descriptor)
    }
  }

  deinit { release() }

  package func release() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      // Remove the file before unlocking it: afterwards, another process may already have created and locked
      // a new file with this name.
      if let path { unlink(path) }
      // Unlock explicitly: a child process that is just being started still has the descriptor, so closing
      // alone would not unlock the file.
      flock(descriptor, LOCK_UN)
      close(descriptor)
      descriptor = -1
    }
  }

  /// Writes the process ID to the file for error messages of other processes. Errors are ignored.
  package func recordProcess() {
    descriptor.withLock { descriptor in
      _ = ftruncate(descriptor, 0)
      _ = "\(getpid())\n".withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }
  }

  /// Returns the process ID recorded in the file; `nil` if the file has no process ID.
  package static func process(in path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return process(in: descriptor)
  }

  /// Returns whether the file is locked by this or another process, or cannot be locked; `false` if it does
  /// not exist. Locks the file for a moment to check.
  /// - Returns: `nil` if the file cannot be opened for reading.
  package static func isTaken(_ path: String) -> Bool? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return errno == ENOENT ? false : nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
    // Unlock explicitly: a child process that is just being started may still have the descriptor, so closing
    // alone would not unlock the file.
    flock(descriptor, LOCK_UN)
    return false
  }

  private static func lock(_ descriptor: Int32, _ timeout: UInt32) throws(LockError) {
    var waited: UInt32 = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let reason = errno
      if reason == EINTR { continue }
      guard reason == EWOULDBLOCK, waited < timeout else {
        let holder = process(in: descriptor)
        close(descriptor)
        throw reason == EWOULDBLOCK ? .taken(process: holder) : .system(operation: "lock", errno: reason)
      }
      usleep(interval)
      waited += interval
    }
  }

  private static func process(in descriptor: Int32) -> Int32? {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
      let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
      return Int32(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).prefix(while: \.isNumber))
    }
  }

  private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
    var (locked, named) = (stat(), stat())
    return fstat(descriptor, &locked) == 0 && lstat(path, &named) == 0 && locked.st_ino == named.st_ino
      && locked.st_dev == named.st_dev
  }
}
