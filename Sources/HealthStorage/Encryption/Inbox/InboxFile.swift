import Foundation
import Glibc

/// The open file of an inbox, which contains what a gateway recorded while its encrypted store was locked.
final class InboxFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// - Returns: `nil` if the file does not exist.
  init?(at path: String, forWriting isWritten: Bool = false) throws(StorageError) {
    self.path = path
    descriptor = open(path, (isWritten ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .file(operation: "open", path: path, errno: errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notAFile(path: path, isDirectory: status.st_mode & S_IFMT == S_IFDIR)
    }
  }

  /// Creates the file, which must not exist.
  init(creatingAt path: String) throws(StorageError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .file(operation: "create", path: path, errno: errno) }
    guard fchmod(descriptor, 0o600) == 0 else { throw .file(operation: "chmod", path: path, errno: errno) }
  }

  deinit { close(descriptor) }

  var status: stat {
    var status = stat()
    fstat(descriptor, &status)
    return status
  }

  var size: UInt64 { UInt64(max(0, status.st_size)) }

  /// Reads bytes at an offset. Returns fewer than `count` bytes if the file ends before.
  func bytes(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(offset) + off_t(done))
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw .file(operation: "read", path: path, errno: errno) }
      guard read > 0 else { break }
      done += read
    }
    bytes.removeLast(count - done)
    return bytes
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes { buffer in
        pwrite(
          descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + off_t(done))
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .file(operation: "write", path: path, errno: errno) }
      done += written
    }
  }

  /// Waits until all written bytes are on the disk.
  func sync() throws(StorageError) {
    guard fdatasync(descriptor) == 0 else { throw .file(operation: "sync", path: path, errno: errno) }
  }

  /// Truncates the file at an offset.
  func cut(at offset: UInt64) throws(StorageError) {
    guard ftruncate(descriptor, off_t(offset)) == 0 else {
      throw .file(operation: "truncate", path: path, errno: errno)
    }
  }
}

/// The entries of an inbox in the order in which they are stored in the file. No key is needed to find them,
/// so their headers are not verified.
struct InboxIndex: Sendable {
  struct Entry: Hashable, Sendable {
    var offset: UInt64
    var header: InboxHeader
    /// The SHA-256 of the whole entry. The header of the next entry contains it, too.
    var digest: [UInt8]

    var end: UInt64 { offset + UInt64(header.entryLength) }
  }

  private static let chunk = 1 << 16

  private(set) var entries: [Entry] = []
  /// The ranges of bytes between entries that are not valid entries.
  private(set) var damage: [Range<UInt64>] = []
  /// The offset at which the last entry ends; the start offset if there are no entries. Bytes after it are
  /// not a valid entry.
  private(set) var end: UInt64

  /// - Parameter start: The offset of the first entry.
  init(_ file: InboxFile, from start: UInt64 = UInt64(InboxFormat.headLength)) throws(StorageError) {
    let size = file.size
    var offset = start
    end = start
    while offset < size {
      if let entry = try Self.entry(in: file, at: offset, size) {
        if end < offset { damage.append(end..<offset) }
        entries.append(entry)
        offset = entry.end
        end = offset
      } else {
        offset = try Self.nextMagic(in: file, after: offset, size)
      }
    }
  }

  /// Returns the entries that begin within a range of bytes of the file, even if they overlap.
  static func entries(in file: InboxFile, within range: Range<UInt64>) throws(StorageError) -> [Entry] {
    let size = file.size
    var found: [Entry] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      if let entry = try entry(in: file, at: offset, size) { found.append(entry) }
      offset = try nextMagic(in: file, after: offset, size)
    }
    return found
  }

  private static func entry(
    in file: InboxFile, at offset: UInt64, _ size: UInt64
  ) throws(StorageError) -> Entry? {
    let first = try file.bytes(at: offset, count: InboxFormat.headerLength)
    guard let header = InboxHeader(first), offset + UInt64(header.entryLength) <= size else { return nil }
    let whole = try file.bytes(at: offset, count: header.entryLength)
    guard whole.count == header.entryLength else { return nil }
    return Entry(offset: offset, header: header, digest: try KeyMath.digest(whole))
  }

  /// Returns the offset of the next bytes that may begin an entry; the size of the file if there are no such
  /// bytes.
  private static func nextMagic(
    in file: InboxFile, after offset: UInt64, _ size: UInt64
  ) throws(StorageError) -> UInt64 {
    var offset = offset + 1
    while offset < size {
      let bytes = try file.bytes(at: offset, count: chunk)
      let found = bytes.indices.first { index in
        bytes[index] == InboxFormat.entryMagic[0]
          && bytes[index...].prefix(4).elementsEqual(InboxFormat.entryMagic)
      }
      if let found { return offset + UInt64(found) }
      guard bytes.count == chunk else { return size }
      offset += UInt64(chunk - 3)
    }
    return size
  }
}
