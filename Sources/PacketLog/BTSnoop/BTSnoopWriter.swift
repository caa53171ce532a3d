public import Bluetooth
internal import Glibc

/// Writes a btsnoop file of the Linux monitor channel (datalink 2001), as `btmon -w` does.
///
/// A log holds health data in clear, so a file that this creates is for its owner alone (mode 0600).
/// Records are buffered; `close()` writes the rest and tells of errors, which giving the object up does not.
public final class BTSnoopWriter {
  /// Room for the longest record, and for many of the usual ones.
  private static let capacity = 128 * 1024
  private static let closed: Int32 = -1

  private var descriptor: Int32
  private let buffer: UnsafeMutableRawPointer
  private var buffered = 0
  private var bytesFlushed: Int64 = 0

  /// Creates the file, or empties the one that is there, and writes the file header.
  ///
  /// - Parameter path: `-` is standard output.
  /// - Throws: `.io`.
  public init(path: String) throws(PacketLogError) {
    descriptor =
      path == "-"
      ? STDOUT_FILENO : Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o600)
    let openError = errno
    buffer = .allocate(byteCount: Self.capacity, alignment: 16)
    guard descriptor >= 0 else {
      descriptor = Self.closed
      throw PacketLogError(.io(openError), offset: 0)
    }
    let magic = BTSnoopHeader.magic
    put(magic.span.bytes)
    put(BTSnoopHeader.version)
    put(BTSnoopHeader.Datalink.monitor)
  }

  deinit {
    try? close()
    buffer.deallocate()
  }

  /// How long the log is so far, in octets, buffered ones included.
  public var bytesWritten: Int64 { bytesFlushed + Int64(buffered) }

  /// Appends an HCI packet, given without its packet indicator octet.
  ///
  /// - Parameter direction: of no effect for commands and events, which go one way only.
  /// - Throws: `.absurdLength` for more octets than a reader accepts, `.io`.
  public func append(
    _ type: HCIPacketType, direction: HCIDirection, controller: UInt16 = 0, time: ReceiptTime,
    _ packet: RawSpan
  ) throws(PacketLogError) {
    try append(opcode: MonitorOpcode.of(type, direction), controller: controller, time: time, packet)
  }

  /// Appends an HCI packet, given without its packet indicator octet.
  public func append(
    _ type: HCIPacketType, direction: HCIDirection, controller: UInt16 = 0, time: ReceiptTime,
    _ packet: [UInt8]
  ) throws(PacketLogError) {
    try append(type, direction: direction, controller: controller, time: time, packet.span.bytes)
  }

  /// Hands everything appended so far to the system.
  ///
  /// - Throws: `.io`; what the system has not taken stays buffered.
  public func flush() throws(PacketLogError) {
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
  }

  /// Flushes and closes the file; standard output stays open. A second call does nothing.
  ///
  /// - Throws: `.io`; the file is closed all the same.
  public func close() throws(PacketLogError) {
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

  func append(
    opcode: UInt16, controller: UInt16, time: ReceiptTime, _ packet: RawSpan
  ) throws(PacketLogError) {
    guard let length = UInt32(exactly: packet.byteCount), length <= BTSnoopRecordHeader.maximumIncludedLength
    else { throw PacketLogError(.absurdLength(UInt64(packet.byteCount)), offset: bytesWritten) }
    guard descriptor != Self.closed else { throw PacketLogError(.io(EBADF), offset: bytesWritten) }
    if buffered + BTSnoopRecordHeader.length + packet.byteCount > Self.capacity { try flush() }
    let dropsUntilNow: UInt32 = 0
    put(length)
    put(length)
    put(UInt32(controller) << 16 | UInt32(opcode))
    put(dropsUntilNow)
    put(time.microsecondsSince1970 &+ BTSnoopRecordHeader.microsecondsBefore1970)
    put(packet)
  }

  private func put(_ value: some FixedWidthInteger & BitwiseCopyable) {
    (buffer + buffered).storeBytes(of: value.bigEndian, as: type(of: value))
    buffered += value.bitWidth / 8
  }

  private func put(_ bytes: RawSpan) {
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
