internal import Glibc
internal import Unpacking

/// A forward-only view of a log through one buffer that is refilled with read(2).
///
/// Nothing is allocated after the start, whatever a length field claims: what does not fit the buffer is
/// either refused or skipped by reading over it.
final class ByteSource {
  /// More than the longest record that any reader accepts.
  static let capacity = 512 * 1024

  private static let inMemory: Int32 = -1

  let totalBytes: Int64?
  private let descriptor: Int32
  /// Asked while nothing is there to be read.
  private let isCancelled: @Sendable () -> Bool
  private let base: UnsafeMutableRawPointer
  private let size: Int
  private var start = 0
  private var end = 0
  /// Where in the log `base` stands.
  private var baseOffset: Int64 = 0
  /// Octets consumed before they were read, and the record that they belong to.
  private var debt = 0
  private var debtorOffset: Int64 = 0
  private var isAtEnd = false
  /// What unpacks the log, and how it is packed.
  private let unpacking: (reader: ArchiveReader, from: Compression)?
  /// What ended the log, if that was not its own end.
  private var failure: PacketLogError?

  /// - Parameters:
  ///   - descriptor: an open file, which this object closes; standard input stays open.
  ///   - isCancelled: asked while a pipe or a terminal has nothing to be read.
  init(descriptor: Int32, totalBytes: Int64?, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.descriptor = descriptor
    self.isCancelled = isCancelled
    self.totalBytes = totalBytes
    unpacking = nil
    size = Self.capacity
    base = .allocate(byteCount: size, alignment: 16)
  }

  /// - Parameter reader: Is at the entry that is the log, in a regular file.
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

  /// Where in the log the window begins.
  @inline(__always)
  var offset: Int64 { baseOffset &+ Int64(start) }

  /// What has been read and not consumed. Valid until the next call of `fill`, `gather` or `consume`.
  @inline(__always)
  var window: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base + start, count: end &- start)
  }

  /// Makes the window at least `count` octets long.
  ///
  /// - Returns: `false` where the log ends exactly here.
  /// - Throws: `.truncated` where it ends before `count` octets; `.absurdLength` for more than the buffer
  ///   holds.
  @inline(__always)
  func fill(_ count: Int) throws(PacketLogError) -> Bool {
    if end &- start >= count { return true }
    return try refill(count)
  }

  /// Moves the window forward, past what has been read if need be.
  @inline(__always)
  func consume(_ count: Int) {
    if count <= end &- start {
      start &+= count
    } else {
      consumeUnread(count)
    }
  }

  /// Makes the window as long as the log allows, up to `count` octets.
  ///
  /// A live stream is not waited for beyond what it takes to tell the containers apart.
  func gather(_ count: Int) throws(PacketLogError) -> Int {
    let patience = 32
    let isLive = totalBytes == nil && unpacking == nil
    while !isAtEnd, end - start < patience || (!isLive && end - start < count) {
      try readMore()
    }
    if start == end, let failure { throw failure }
    return min(end - start, count)
  }

  /// Makes the window longer by what comes next.
  ///
  /// - Returns: `false` at the end of the log, and where the window is as long as it gets.
  func gatherMore() throws(PacketLogError) -> Bool {
    makeRoom()
    guard !isAtEnd, end < size else { return false }
    try readMore()
    return true
  }

  /// What is left of the log, copied; consumes it.
  ///
  /// - Throws: `.absurdLength` for more than `limit` octets.
  func remainder(upTo limit: Int) throws(PacketLogError) -> [UInt8] {
    var octets: [UInt8] = []
    repeat {
      octets.append(contentsOf: window)
      consume(window.count)
      guard octets.count <= limit else {
        throw PacketLogError(.absurdLength(UInt64(octets.count)), offset: 0)
      }
    } while try gatherMore()
    return octets
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

  /// What was unpacked before a damage is read, and then the damage ends the log.
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

  /// Waits with the one call that can be interrupted by a wish: a pipe or a terminal may be silent for hours.
  private func waitUntilReadable() throws(PacketLogError) {
    let patienceInMilliseconds: Int32 = 100
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, patienceInMilliseconds) == 0 {
      if isCancelled() { throw PacketLogError(.io(ECANCELED), offset: baseOffset + Int64(end)) }
    }
  }
}
