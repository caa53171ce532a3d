internal import Glibc

/// The bytes of a file, pipe or terminal. The caller can cancel while no data is available.
package final class PolledInput {
  private static let blockSize = 64 * 1024
  private static let pollInterval: Int32 = 100

  /// The size in bytes, or `nil` if the input is not a regular file.
  package let size: Int64?
  /// The error that ended reading. libarchive's callbacks cannot throw, so they store it here.
  private(set) var failure: ArchiveError?
  private let descriptor: Int32
  private let isCancelled: @Sendable () -> Bool
  private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
  /// Bytes that `peek` read from a pipe.
  private var peeked: ArraySlice<UInt8> = []

  /// Opens an input.
  ///
  /// - Parameters:
  ///   - path: The path, or `-` for standard input.
  ///   - isCancelled: Called several times per second while no data is available.
  package init(
    path: String, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ArchiveError) {
    // Without O_NONBLOCK, opening a named pipe would block until another process writes to it.
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      block.deallocate()
      throw .file(errno: errno)
    }
    self.isCancelled = isCancelled
    var status = stat()
    let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isRegular ? Int64(status.st_size) : nil
  }

  deinit {
    block.deallocate()
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  /// Returns the first bytes without consuming them. Returns fewer if the input is shorter.
  package func peek(_ count: Int) throws(ArchiveError) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { room.deallocate() }
    var length = 0
    while length < count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: room[length...])
      let read = try readMore(into: rest, at: size == nil ? nil : length)
      guard read > 0 else { break }
      length += read
    }
    let start = Array(room[..<length])
    if size == nil { peeked = start[...] }
    return start
  }

  /// Reads bytes.
  ///
  /// - Returns: The number of bytes read, or 0 at the end.
  package func read(into room: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    guard peeked.isEmpty else {
      let count = min(peeked.count, room.count)
      room.copyBytes(from: peeked.prefix(count))
      peeked.removeFirst(count)
      return count
    }
    return try readMore(into: room)
  }

  /// Reads bytes from the descriptor.
  ///
  /// - Parameter offset: The offset in a regular file, or `nil` to read from the current position.
  private func readMore(
    into room: UnsafeMutableRawBufferPointer, at offset: Int? = nil
  ) throws(ArchiveError) -> Int {
    while true {
      if size == nil { try waitUntilReadable() }
      let count =
        offset.map { pread(descriptor, room.baseAddress, room.count, off_t($0)) }
        ?? Glibc.read(descriptor, room.baseAddress, room.count)
      if count >= 0 { return count }
      guard errno == EINTR || errno == EAGAIN else { throw .file(errno: errno) }
    }
  }

  private func waitUntilReadable() throws(ArchiveError) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, Self.pollInterval) == 0 {
      if isCancelled() { throw .cancelled }
    }
  }

  // MARK: - libarchive callbacks

  /// Reads the next block.
  ///
  /// - Returns: The bytes, which are valid until the next call, and their count: 0 at the end, or -1 after an
  ///   error.
  func nextBlock() -> (bytes: UnsafeRawPointer?, count: Int) {
    do {
      return (UnsafeRawPointer(block.baseAddress), try read(into: block))
    } catch {
      failure = error
      return (nil, -1)
    }
  }

  func seek(_ offset: Int64, _ origin: Int32) -> Int64 { Int64(lseek(descriptor, off_t(offset), origin)) }
}
