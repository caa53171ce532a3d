internal import Bluetooth
internal import Glibc

/// A file that a log is written to, for its owner alone (mode 0600).
///
/// What is appended is buffered; `close()` writes the rest and tells of errors, which giving the object up
/// does not.
final class BufferedOutput {
  /// Room for the longest record, and for many of the usual ones.
  static let capacity = 128 * 1024
  private static let closed: Int32 = -1

  private var descriptor: Int32
  private let buffer: UnsafeMutableRawPointer
  private var buffered = 0
  private var bytesFlushed: Int64 = 0
  /// How long the file was when all that was buffered had been taken.
  private var wholeLength: Int64 = 0

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - path: `-` is standard output.
  ///   - isNew: It must not be there yet, not even as a link; else it is emptied.
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

  /// How much was appended so far, in octets, buffered ones included.
  var bytesWritten: Int64 { bytesFlushed + Int64(buffered) }

  /// Makes sure that the next octets fit.
  ///
  /// - Parameter count: At most ``capacity``.
  /// - Throws: `.io`, also after `close()`.
  func makeRoom(for count: Int) throws(PacketLogError) {
    guard descriptor != Self.closed else { throw PacketLogError(.io(EBADF), offset: bytesWritten) }
    if buffered + count > Self.capacity { try flush() }
  }

  /// Makes the file another user's, which the system allows root alone.
  ///
  /// - Throws: `.io`.
  func give(to owner: FileOwner) throws(PacketLogError) {
    guard fchown(descriptor, owner.user, owner.group) == 0 else {
      throw PacketLogError(.io(errno), offset: bytesFlushed)
    }
  }

  /// Hands everything appended so far to the system.
  ///
  /// - Throws: `.io`; what the system has not taken stays buffered.
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

  /// Gives up what is buffered, and of the last flush what the system took before it failed: a regular file
  /// then ends where a flush ended.
  func abandon() {
    buffered = 0
    guard descriptor != Self.closed, descriptor != STDOUT_FILENO,
      ftruncate(descriptor, off_t(wholeLength)) == 0
    else { return }
    bytesFlushed = wholeLength
    _ = lseek(descriptor, 0, SEEK_END)
  }

  /// Flushes and closes the file; standard output stays open. A second call does nothing.
  ///
  /// - Throws: `.io`; the file is closed all the same.
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

  /// Appends an integer as it stands in memory, into room that was made.
  func put(_ value: some FixedWidthInteger & BitwiseCopyable) {
    (buffer + buffered).storeBytes(of: value, as: type(of: value))
    buffered += value.bitWidth / 8
  }

  /// Appends octets, into room that was made.
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
