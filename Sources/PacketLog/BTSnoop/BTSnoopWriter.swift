public import Bluetooth

/// Writes a btsnoop file of the Linux monitor channel (datalink 2001), as `btmon -w` does.
///
/// A log contains health data in plain text, so the file is created with mode 0600.
///
/// Records are buffered. Call `close()` to write the last ones. They are also written when the object is
/// released, but then errors are not reported.
///
/// ```swift
/// let writer = try BTSnoopWriter(path: "session.btsnoop")
/// let packet = HCIEventPacket.disconnectionComplete(handle: 0x0040, reason: 0x13)
/// try writer.append(
///   .event, direction: .controllerToHost, time: ReceiptTime(microsecondsSince1970: 1_764_400_000_000_000),
///   packet)
/// try writer.close()
/// ```
public final class BTSnoopWriter {
  private let output: BufferedOutput

  /// The number of packets that the recorder has dropped so far. Each record stores this number.
  public var packetsLost: UInt32 = 0

  /// Creates the file and writes the file header.
  ///
  /// - Parameters:
  ///   - path: The path of the file; `-` is standard output.
  ///   - isNew: If true, the path must not exist, not even as a symbolic link. Otherwise an existing file is
  ///     truncated.
  /// - Throws: `.io`.
  public init(path: String, isNew: Bool = false) throws(PacketLogError) {
    output = try BufferedOutput(path: path, isNew: isNew)
    let magic = BTSnoopHeader.magic
    output.put(magic.span.bytes)
    output.put(BTSnoopHeader.version.bigEndian)
    output.put(BTSnoopHeader.Datalink.monitor.bigEndian)
  }

  /// The length of the log in bytes, including buffered bytes.
  public var bytesWritten: Int64 { output.bytesWritten }

  /// Appends an HCI packet without its packet indicator.
  ///
  /// - Parameter direction: Ignored for commands and events, which have only one direction.
  /// - Throws: `.absurdLength` if the packet is longer than readers accept; `.io`.
  public func append(
    _ type: HCIPacketType, direction: HCIDirection, controller: UInt16 = 0, time: ReceiptTime,
    _ packet: RawSpan
  ) throws(PacketLogError) {
    try append(opcode: MonitorOpcode.of(type, direction), controller: controller, time: time, packet)
  }

  /// Appends an HCI packet without its packet indicator.
  /// - Throws: As ``append(_:direction:controller:time:_:)`` with a span.
  public func append(
    _ type: HCIPacketType, direction: HCIDirection, controller: UInt16 = 0, time: ReceiptTime,
    _ packet: [UInt8]
  ) throws(PacketLogError) {
    try append(type, direction: direction, controller: controller, time: time, packet.span.bytes)
  }

  /// Writes all buffered records to the file.
  ///
  /// - Throws: `.io`. Bytes that were not written stay buffered.
  public func flush() throws(PacketLogError) { try output.flush() }

  /// Changes the owner of the file. Only root may do this.
  ///
  /// - Throws: `.io`.
  package func give(to owner: FileOwner) throws(PacketLogError) { try output.give(to: owner) }

  /// Discards all records since the last successful ``flush()``, including bytes that a failed flush has
  /// written.
  ///
  /// The file then ends with a complete record. Use this if the file is no longer writable.
  public func abandon() { output.abandon() }

  /// Flushes and closes the file. Standard output stays open, and a second call does nothing.
  ///
  /// - Throws: `.io`. The file is closed in any case.
  public func close() throws(PacketLogError) { try output.close() }

  /// Appends a record of the monitor channel.
  ///
  /// - Parameter opcode: One of the constants of `MonitorOpcode`.
  package func append(
    opcode: UInt16, controller: UInt16, time: ReceiptTime, _ packet: RawSpan
  ) throws(PacketLogError) {
    guard let length = UInt32(exactly: packet.byteCount), length <= BTSnoopRecordHeader.maximumIncludedLength
    else { throw PacketLogError(.absurdLength(UInt64(packet.byteCount)), offset: bytesWritten) }
    try output.makeRoom(for: BTSnoopRecordHeader.length + packet.byteCount)
    output.put(length.bigEndian)
    output.put(length.bigEndian)
    output.put((UInt32(controller) << 16 | UInt32(opcode)).bigEndian)
    output.put(packetsLost.bigEndian)
    output.put((time.microsecondsSince1970 &+ BTSnoopRecordHeader.microsecondsBefore1970).bigEndian)
    output.put(packet)
  }
}
