internal import Glibc
internal import Unpacking

/// Reads a log from start to end through one buffer of fixed size.
///
/// No memory is allocated after initialization, so a wrong length field in a log cannot exhaust memory. A
/// record longer than the buffer is rejected or skipped.
final class ByteSource {
  /// Buffer size in bytes; longer than the longest record that any reader accepts.
  static let capacity = 512 * 1024

  private static let inMemory: Int32 = -1

  let totalBytes: Int64?
  private let descriptor: Int32
  /// Called repeatedly while no data is available. If it returns `true`, reading ends.
  private let isCancelled: @Sendable () -> Bool
  private let base: UnsafeMutableRawPointer
  private let size: Int
  private var start = 0
  private var end = 0
  /// The position in the log of the first byte in the buffer.
  private var baseOffset: Int64 = 0
  /// The number of bytes still to be skipped, and the position of their record in the log.
  private var debt = 0
  private var debtorOffset: Int64 = 0
  private var isAtEnd = false
  /// The archive reader that decompresses the log, and the compression of the log.
  private let unpacking: (reader: ArchiveReader, from: Compression)?
  /// The error that ended the log early.
  private var failure: PacketLogError?

  /// - Parameters:
  ///   - descriptor: An open file. This object closes it, except for standard input.
  ///   - isCancelled: Called repeatedly while a pipe or terminal has no data. If it returns `true`, reading
  ///     ends.
  init(descriptor: Int32, totalBytes: Int64?, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.descriptor = descriptor
    self.isCancelled = isCancelled
    self.totalBytes = totalBytes
    unpacking = nil
    size = Self.capacity
    base = .allocate(byteCount: size, alignment: 16)
  }

  /// - Parameter reader: A reader of an archive in a regular file, positioned at the log.
  init(unpackedBy reader: ArchiveReader, from compression: Compression) {
    descriptor = Self.inMemory
    isCancelled = { false }
    totalBytes = nil
    unpacking = (reader, compression)
    size = Self.capacity
    base = .allocate(byteCount: size, alignment: 16)
  }

  init(bytes: [UInt8]) {
    descriptor = Self.inMemory
    isCancelled = { false }
    unpacking = nil
    totalBytes = Int64(bytes.count)
    size = max(bytes.count, 1)
    base = .allocate(byteCount: size, alignment: 16)
    bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: base, count: size).copyMemory(from: $0) }
    end = bytes.count
    isAtEnd = true
  }

  deinit {
    base.deallocate()
    if descriptor > STDIN_FILENO { Glibc.close(descriptor) }
  }

  /// The position of ``window`` in the log.
  @inline(__always)
  var offset: Int64 { baseOffset &+ Int64(start) }

  /// The bytes that were read but not consumed. Valid until the next call of `fill`, `gather`, or `consume`.
  @inline(__always)
  var window: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base + start, count: end &- start)
  }

  /// Reads until ``window`` has at least `count` bytes.
  ///
  /// - Returns: `false` if the log ends exactly at the start of the window.
  /// - Throws: `.truncated` if the log ends before `count` bytes; `.absurdLength` if `count` is larger than
  ///   the buffer.
  @inline(__always)
  func fill(_ count: Int) throws(PacketLogError) -> Bool {
    if end &- start >= count { return true }
    return try refill(count)
  }

  /// Removes `count` bytes from the start of ``window``. If it has fewer, the rest is skipped as soon as it
  /// is read.
  @inline(__always)
  func consume(_ count: Int) {
    if count <= end &- start {
      start &+= count
    } else {
      consumeUnread(count)
    }
  }

  /// Reads until ``window`` has `count` bytes or the log ends.
  ///
  /// For a pipe or terminal, 32 bytes are enough, because waiting for more could take forever.
  func gather(_ count: Int) throws(PacketLogError) -> Int {
    let timeout = 32
    let isLive = totalBytes == nil && unpacking == nil
    while !isAtEnd, end - start < timeout || (!isLive && end - start < count) {
      try readMore()
    }
    if start == end, let failure { throw failure }
    return min(end - start, count)
  }

  /// Appends the next bytes of the log to ``window``.
  ///
  /// - Returns: `false` at the end of the log, or if the buffer is full.
  func gatherMore() throws(PacketLogError) -> Bool {
    makeRoom()
    guard !isAtEnd, end < size else { return false }
    try readMore()
    return true
  }

  /// Returns all unconsumed bytes of the log.
  ///
  /// - Throws: `.absurdLength` if more than `limit` bytes are left.
  func remainder(upTo limit: Int) throws(PacketLogError) -> [UInt8] {
    var bytes: [UInt8] = []
    repeat {
      bytes.append(contentsOf: window)
      consume(window.count)
      guard bytes.count <= limit else {
        throw PacketLogError(.absurdLength(UInt64(bytes.count)), offset: 0)
      }
    } while try gatherMore()
    return bytes
  }

  private func consumeUnread(_ count: Int) {
    debtorOffset = offset
    debt = count - (end - start)
    start = end
  }

  private func refill(_ count: Int) throws(PacketLogError) -> Bool {
    try payDebt()
    guard count <= size || isAtEnd else { throw PacketLogError(.absurdLength(UInt64(count)), offset: offset) }
    while end - start < count {
      guard !isAtEnd else {
        if let failure { throw failure }
        if start == end { return false }
        throw PacketLogError(.truncated, offset: offset)
      }
      makeRoom()
      try readMore()
    }
    return true
  }

  private func payDebt() throws(PacketLogError) {
    while debt > 0 {
      guard !isAtEnd else { throw failure ?? PacketLogError(.truncated, offset: debtorOffset) }
      makeRoom()
      try readMore()
      let paid = min(debt, end - start)
      start += paid
      debt -= paid
    }
  }

  private func makeRoom() {
    guard start > 0 else { return }
    base.copyMemory(from: base + start, byteCount: end - start)
    baseOffset += Int64(start)
    end -= start
    start = 0
  }

  private func readMore() throws(PacketLogError) {
    if let unpacking { return unpackMore(unpacking.reader, unpacking.from) }
    while true {
      if totalBytes == nil { try waitUntilReadable() }
      let count = Glibc.read(descriptor, base + end, size - end)
      if count > 0 { end += count } else if count == 0 { isAtEnd = true }
      if count >= 0 { return }
      switch errno {
      case EINTR, EAGAIN: continue
      case let number: throw PacketLogError(.io(number), offset: baseOffset + Int64(end))
      }
    }
  }

  /// Decompresses more bytes. If an error occurs, the bytes before it are still returned, and the error ends
  /// the log.
  private func unpackMore(_ reader: ArchiveReader, _ compression: Compression) {
    do {
      let count = try reader.read(into: UnsafeMutableRawBufferPointer(start: base + end, count: size - end))
      end += count
      isAtEnd = count == 0
    } catch {
      isAtEnd = true
      failure = PacketLogError(error, of: compression, offset: baseOffset + Int64(end))
    }
  }

  /// Waits for data. Checks for cancellation every 100 ms.
  private func waitUntilReadable() throws(PacketLogError) {
    let timeoutInMilliseconds: Int32 = 100
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, timeoutInMilliseconds) == 0 {
      if isCancelled() { throw PacketLogError(.io(ECANCELED), offset: baseOffset + Int64(end)) }
    }
  }
}

extension ByteSource {
  /// - Parameter path: The path of the log; `-` is standard input.
  convenience init(path: String, isCancelled: @escaping @Sendable () -> Bool) throws(PacketLogError) {
    // Without O_NONBLOCK, opening a named pipe would block until another program opens it for writing. The
    // reads use poll(2).
    let descriptor =
      path == "-" ? STDIN_FILENO : Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw PacketLogError(.io(errno), offset: 0) }
    self.init(
      descriptor: descriptor, totalBytes: Self.regularFileSize(descriptor), isCancelled: isCancelled)
  }

  private static func regularFileSize(_ descriptor: Int32) -> Int64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }
}
