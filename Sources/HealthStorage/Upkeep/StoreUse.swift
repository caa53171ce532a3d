import Glibc

/// Whether another program has a store open. SQLite's connections hold a lock on the file as long as they are
/// open (`SHARED_FIRST` and `SHARED_SIZE` of its os_unix.c), once they have read.
enum StoreUse {
  private static let firstByte: off_t = 0x4000_0002
  private static let byteCount: off_t = 510

  /// To be asked only where this program itself has the store not open: closing a second descriptor of the
  /// file would give up SQLite's locks.
  static func isOpen(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = firstByte
    lock.l_len = byteCount
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return true }
    return lock.l_type != Int16(F_UNLCK)
  }
}
