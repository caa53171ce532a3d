import Glibc

/// The kernel's lock on an open file. It ends with the program that holds it, however that ends.
enum FileLock {
  /// Microseconds.
  private static let step: UInt32 = 5000

  /// Takes the lock for this program alone, waiting so many microseconds for another.
  /// - Returns: 0 once it is held; `EWOULDBLOCK` where another holds it all the time; else why the file
  ///   cannot be locked.
  static func take(_ descriptor: Int32, patience: UInt32) -> Int32 {
    var waited: UInt32 = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let reason = errno
      guard reason == EWOULDBLOCK, waited < patience else { return reason }
      usleep(step)
      waited += step
    }
    return 0
  }

  /// Whether somebody else may hold the lock, in this program or another, or the file cannot be locked.
  /// Looking takes the lock for an instant.
  static func isTaken(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) != 0 }
}
