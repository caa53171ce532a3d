import Glibc

/// The kernel's lock on an open file, which goes with the program that has it, however that ends.
enum FileLock {
  /// Microseconds.
  private static let step: UInt32 = 5000

  /// Takes the lock for this program alone, waiting so many microseconds for another.
  /// - Returns: `EWOULDBLOCK` where another has it all the time, 0 where it is taken, another `errno` where this file cannot be locked.
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

  /// Whether another open file may have the lock: this program's or another's, or one that cannot be locked. A look has it for an
  /// instant.
  static func isTaken(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) != 0 }
}
