import Glibc
import Synchronization

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
    return isLocked(descriptor)
  }

  /// The descriptors of stores that this program has open too, by file. They stay open until it ends.
  private static let kept = Mutex<[FileIdentity.Number: Int32]>([:])

  /// As `isOpen`, where this program may have the store open too; that is not counted.
  static func isOpenElsewhere(_ path: String) -> Bool {
    kept.withLock { kept in
      guard let number = FileIdentity.number(of: path) else { return true }
      let descriptor = kept[number] ?? open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { return true }
      kept[number] = descriptor
      return isLocked(descriptor)
    }
  }

  /// By another program: the kernel tells nobody of locks of their own.
  private static func isLocked(_ descriptor: Int32) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = firstByte
    lock.l_len = byteCount
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return true }
    return lock.l_type != Int16(F_UNLCK)
  }
}
