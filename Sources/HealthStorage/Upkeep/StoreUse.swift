import Foundation
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
    return isLocked(descriptor) ?? true
  }

  /// The descriptors of stores that this program has open too, by file. They stay open until it ends.
  private static let kept = Mutex<[FileIdentity.Number: Int32]>([:])

  /// As `isOpen`, where this program may have the store open too; that is not counted.
  static func isOpenElsewhere(_ path: String) -> Bool { isSeenOpenElsewhere(path) ?? true }

  /// - Returns: `nil` where it cannot be found out.
  static func isSeenOpenElsewhere(_ path: String) -> Bool? {
    kept.withLock { kept in
      guard let number = FileIdentity.number(of: path) else { return nil }
      let descriptor = kept[number] ?? open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      kept[number] = descriptor
      return isLocked(descriptor)
    }
  }

  /// The other programs that have a store open, as the kernel lists the locks of files. Not those whose
  /// process is not seen from here, and none where the file system has another number in that list, as btrfs
  /// has.
  static func holders(_ path: String, locks: String = "/proc/locks") -> [Int32] {
    var status = stat()
    guard stat(path, &status) == 0, let text = try? String(contentsOfFile: locks, encoding: .utf8) else {
      return []
    }
    let file = kernelName(status)
    let holders = text.split(separator: "\n").compactMap { holder(String($0), of: file) }
    return Set(holders).sorted()
  }

  /// `7: POSIX  ADVISORY  READ  1234 08:01:5678 1073741826 1073742335`; who waits has an arrow behind the
  /// number.
  private static func holder(_ line: String, of file: String) -> Int32? {
    let words: [Substring] = line.split(separator: " ")
    guard words.count == 8, words[1] == "POSIX", words[5] == file else { return nil }
    guard let first = off_t(words[6]), first >= firstByte, first < firstByte + byteCount else { return nil }
    guard let process = Int32(words[4]), process > 0, process != getpid() else { return nil }
    return process
  }

  /// What the kernel calls a file in that list: `08:01:5678`, of the device's two numbers and the file's.
  static func kernelName(_ status: stat) -> String {
    let device = UInt64(status.st_dev)
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    let numbers = [major, minor].map { number in
      let digits = String(number, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }
    return "\(numbers[0]):\(numbers[1]):\(status.st_ino)"
  }

  /// By another program: the kernel tells nobody of locks of their own.
  private static func isLocked(_ descriptor: Int32) -> Bool? {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = firstByte
    lock.l_len = byteCount
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return nil }
    return lock.l_type != Int16(F_UNLCK)
  }
}
