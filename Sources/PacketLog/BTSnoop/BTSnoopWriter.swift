public import Bluetooth

/// Writes a btsnoop file of the Linux monitor channel (datalink 2001), as `btmon -w` does.
///
/// A log holds health data in clear, so a file that this creates is for its owner alone (mode 0600).
/// Records are buffered; `close()` writes the rest and tells of errors, which giving the object up does not.
public final class BTSnoopWriter {
  private let output: BufferedOutput

  /// How many packets the recorder has lost since the log began; each record says how many until then.
  public var packetsLost: UInt32 = 0

  /// Creates the file and writes the file header.
  ///
  /// - Parameters:
  ///   - path: `-` is standard output.
  ///   - isNew: The file must not be there yet, not even as a link; else it is emptied.
  /// - Throws: `.io`.
  public init(path: String, isNew: Bool = false) throws(PacketLogError) {
    output = try BufferedOutput(path: path, isNew: isNew)
    let magic = BTSnoopHeader.magic
    output.put(magic.span.bytes)
    output.put(BTSnoopHeader.version.bigEndian)
    output.put(BTSnoopHeader.Datalink.monitor.bigEndian)
  }

  /// How long the log is so far, in octets, buffered ones included.
  public var bytesWritten: Int64 { output.bytesWritten }

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
  public func flush() throws(PacketLogError) { try output.flush() }

  /// Makes the file another user's, which the system allows root alone.
  ///
  /// - Throws: `.io`.
  package func give(to owner: FileOwner) throws(PacketLogError) { try output.give(to: owner) }

  /// Gives up what is not flushed, also what the system took of it before it failed, so that the log ends
  /// with a whole record. For a log that cannot be written any further.
  public func abandon() { output.abandon() }

  /// Flushes and closes the file; standard output stays open. A second call does nothing.
  ///
  /// - Throws: `.io`; the file is closed all the same.
  public func close() throws(PacketLogError) { try output.close() }

  /// Appends a record as the monitor channel has it.
  ///
  /// - Parameter opcode: As `MonitorOpcode` names it.
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
