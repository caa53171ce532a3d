public import Bluetooth
internal import Glibc

/// Writes a btsnoop file of the Linux monitor channel (datalink 2001), as `btmon -w` does.
///
/// A log holds health data in clear, so a file that this creates is for its owner alone (mode 0600).
/// Records are buffered; `close()` writes the rest and tells of errors, which giving the object up does not.
public final class BTSnoopWriter {
  private static let bufferSize = 64 * 1024
  private static let closed: Int32 = -1

  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private var bytesFlushed: Int64 = 0

  /// Creates the file, or empties the one that is there, and writes the file header.
  ///
  /// - Parameter path: `-` is standard output.
  /// - Throws: `.io`.
  public init(path: String) throws(PacketLogError) {
    descriptor =
      path == "-"
      ? STDOUT_FILENO : Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw PacketLogError(.io(errno), offset: 0) }
    buffer.reserveCapacity(Self.bufferSize * 2)
    buffer.append(contentsOf: BTSnoopHeader.magic)
    appendBE(BTSnoopHeader.version)
    appendBE(BTSnoopHeader.Datalink.monitor)
  }

  deinit { try? close() }

  /// How long the log is so far, in octets, buffered ones included.
  public var bytesWritten: Int64 { bytesFlushed + Int64(buffer.count) }

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
    var written = 0
    defer {
      buffer.removeFirst(written)
      bytesFlushed += Int64(written)
    }
    while written < buffer.count {
      let count = buffer.withUnsafeBytes { rest in
        write(descriptor, rest.baseAddress.map { $0 + written }, rest.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw PacketLogError(.io(errno), offset: bytesFlushed + Int64(written))
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
    appendBE(length)
    appendBE(length)
    appendBE(UInt32(controller) << 16 | UInt32(opcode))
    appendBE(UInt32(0))
    appendBE(time.microsecondsSince1970 &+ BTSnoopRecordHeader.microsecondsBefore1970)
    packet.withUnsafeBytes { buffer.append(contentsOf: $0) }
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private func appendBE(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
  }

  @discardableResult
  private func closeDescriptor() -> Int32 {
    descriptor == STDOUT_FILENO ? 0 : Glibc.close(descriptor)
  }
}
