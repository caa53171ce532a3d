internal import Bluetooth
internal import Glibc

/// A log file with mode 0600 and a write buffer.
///
/// Call `close()` to write the buffered bytes. They are also written when the object is released, but then
/// errors are not reported.
final class BufferedOutput {
  /// Buffer size in bytes: the longest record, or many typical ones.
  static let capacity = 128 * 1024
  private static let closed: Int32 = -1

  private var descriptor: Int32
  private let buffer: UnsafeMutableRawPointer
  private var buffered = 0
  private var bytesFlushed: Int64 = 0
  /// The length of the file in bytes after the last successful flush.
  private var wholeLength: Int64 = 0

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - path: The path of the file; `-` is standard output.
  ///   - isNew: If true, the path must not exist, not even as a symbolic link. Otherwise an existing file is
  ///     truncated.
  /// - Throws: `.io`.
  init(path: String, isNew: Bool = false) throws(PacketLogError) {
    let existing = isNew ? O_EXCL : O_TRUNC
    descriptor =
      path == "-"
      ? STDOUT_FILENO : Glibc.open(path, O_WRONLY | O_CREAT | existing | O_CLOEXEC | O_NOCTTY, 0o600)
    let openError = errno
    buffer = .allocate(byteCount: Self.capacity, alignment: 16)
    guard descriptor >= 0 else {
      descriptor = Self.closed
      throw PacketLogError(.io(openError), offset: 0)
    }
  }

  deinit {
    try? close()
    buffer.deallocate()
  }

  /// Number of bytes appended so far, including buffered bytes.
  var bytesWritten: Int64 { bytesFlushed + Int64(buffered) }

  /// Flushes the buffer if `count` more bytes do not fit.
  ///
  /// - Parameter count: At most ``capacity``.
  /// - Throws: `.io`, for example after `close()`.
  func makeRoom(for count: Int) throws(PacketLogError) {
    guard descriptor != Self.closed else { throw PacketLogError(.io(EBADF), offset: bytesWritten) }
    if buffered + count > Self.capacity { try flush() }
  }

  /// Changes the owner of the file. Only root may do this.
  ///
  /// - Throws: `.io`.
  func give(to owner: FileOwner) throws(PacketLogError) {
    guard fchown(descriptor, owner.user, owner.group) == 0 else {
      throw PacketLogError(.io(errno), offset: bytesFlushed)
    }
  }

  /// Writes all buffered bytes to the file.
  ///
  /// - Throws: `.io`. Bytes that were not written stay buffered.
  func flush() throws(PacketLogError) {
    while buffered > 0 {
      let count = write(descriptor, buffer, buffered)
      if count >= 0 {
        buffered -= count
        bytesFlushed += Int64(count)
        buffer.copyMemory(from: buffer + count, byteCount: buffered)
      } else if errno != EINTR {
        throw PacketLogError(.io(errno), offset: bytesFlushed)
      }
    }
    wholeLength = bytesFlushed
  }

  /// Discards the buffered bytes, and truncates a regular file to its length after the last complete flush.
  func abandon() {
    buffered = 0
    guard descriptor != Self.closed, descriptor != STDOUT_FILENO,
      ftruncate(descriptor, off_t(wholeLength)) == 0
    else { return }
    bytesFlushed = wholeLength
    _ = lseek(descriptor, 0, SEEK_END)
  }

  /// Flushes and closes the file. Standard output stays open, and a second call does nothing.
  ///
  /// - Throws: `.io`. The file is closed in any case.
  func close() throws(PacketLogError) {
    guard descriptor != Self.closed else { return }
    defer { descriptor = Self.closed }
    do {
      try flush()
    } catch {
      closeDescriptor()
      throw error
    }
    guard closeDescriptor() == 0 else { throw PacketLogError(.io(errno), offset: bytesFlushed) }
  }

  /// Appends the bytes of an integer in native byte order. Call `makeRoom(for:)` first.
  func put(_ value: some FixedWidthInteger & BitwiseCopyable) {
    (buffer + buffered).storeBytes(of: value, as: type(of: value))
    buffered += value.bitWidth / 8
  }

  /// Appends bytes. Call `makeRoom(for:)` first.
  func put(_ bytes: RawSpan) {
    bytes.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(start: buffer + buffered, count: $0.count).copyMemory(from: $0)
    }
    buffered += bytes.byteCount
  }

  @discardableResult
  private func closeDescriptor() -> Int32 {
    descriptor == STDOUT_FILENO ? 0 : Glibc.close(descriptor)
  }
}

/// The user and group that own a file.
public struct FileOwner: Hashable, Sendable {
  /// The numeric user ID (uid).
  public var user: UInt32
  /// The numeric group ID (gid).
  public var group: UInt32

  public init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}
