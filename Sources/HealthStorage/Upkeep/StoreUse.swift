import Foundation
import Glibc
import Synchronization

/// Determines whether another program has a store open. SQLite keeps a lock on the file from a connection's
/// first read until it is closed (`SHARED_FIRST` and `SHARED_SIZE` in os_unix.c).
enum StoreUse {
  private static let firstByte: off_t = 0x4000_0002
  private static let byteCount: off_t = 510

  /// Returns whether a program has the store open. Call this only if this program does not, because closing
  /// the file here would release SQLite's locks on it.
  static func isOpen(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    return isLocked(descriptor) ?? true
  }

  /// Descriptors of stores that this program also has open. They stay open until the process ends, because
  /// closing them would release SQLite's locks.
  private static let kept = Mutex<[FileIdentity.Number: Int32]>([:])

  /// Returns whether another program has a store open. Unlike for `isOpen`, this program may have it open
  /// too.
  /// - Returns: `nil` if that cannot be determined.
  static func isSeenOpenElsewhere(_ path: String) -> Bool? {
    kept.withLock { kept in
      guard let number = FileIdentity.number(of: path) else { return nil }
      let descriptor = kept[number] ?? open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      kept[number] = descriptor
      return isLocked(descriptor)
    }
  }

  /// Returns the process IDs of other programs that have a store open, from the kernel's list of file locks.
  /// Processes in other PID namespaces are missing. On file systems such as btrfs, for which the list
  /// contains another device number, the result is empty.
  static func holders(_ path: String, locks: String = "/proc/locks") -> [Int32] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    let file = kernelName(status)
    let holders = content(of: locks).split(separator: "\n").compactMap { holder(String($0), of: file) }
    return Set(holders).sorted()
  }

  /// Returns the text of a file of procfs. Its size is reported as 0, and each read returns at most a page of
  /// 4 KB, so `String(contentsOfFile:)` returns only the beginning of a longer one.
  private static func content(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += part[..<count]
    }
  }

  /// Parses a line such as `7: POSIX ADVISORY READ 1234 08:01:5678 1073741826 1073742335`, and returns the
  /// process ID. Lines with an arrow after the number are skipped: these processes are only waiting for a
  /// lock.
  private static func holder(_ line: String, of file: String) -> Int32? {
    let words: [Substring] = line.split(separator: " ")
    guard words.count == 8, words[1] == "POSIX", words[5] == file else { return nil }
    guard let first = off_t(words[6]), first >= firstByte, first < firstByte + byteCount else { return nil }
    guard let process = Int32(words[4]), process > 0, process != getpid() else { return nil }
    return process
  }

  /// Returns the name of a file in `/proc/locks`: device major, device minor and inode, such as `08:01:5678`.
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

  /// Returns whether another process holds a lock on the file. `F_GETLK` ignores the caller's own locks.
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

extension StoreUpkeep {
  /// Returns whether another program has the store open. Call this only if this program does not.
  package static func isOpen(_ path: String) -> Bool { StoreUse.isOpen(path) }

  /// Finds the gateway that is running on a store, without opening the store.
  /// - Returns: The process ID of the gateway; `.some(nil)` if it is running but its ID is not known; `nil`
  ///   if none is running.
  package static func gateway(ofStoreAt path: String) -> Int32?? {
    let lock = ProgramLock(ofGatewayOfDatabaseAt: path)
    return lock.isTaken ? .some(lock.process) : nil
  }
}
