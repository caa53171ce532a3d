internal import Bluetooth

/// The Linux monitor protocol as a controller's firmware sends it over a serial line.
///
/// The stream carries no wall time, only the time since it began; records are timed as if it had begun at
/// 1970-01-01 00:00 UTC. A message without a time has that of the one before it.
struct MonitorStreamReader: PacketLogReader {
  let format = PacketLogFormat.monitorStream
  private let source: ByteSource
  /// In units of 100 µs, carried on where the 32 bits of the stream start anew (every five days).
  private var ticks: Int64 = 0
  private var lossToldAt: Int64 = -1

  init(_ source: ByteSource) { self.source = source }

  var bytesRead: Int64 { source.offset }
  var totalBytes: Int64? { source.totalBytes }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    guard try source.fill(MonitorStreamHeader.fixedLength) else { return false }
    let offset = source.offset
    guard var header = MonitorStreamHeader(fixedPart: source.window.bytes) else {
      throw PacketLogError(.malformed("monitor message lengths"), offset: offset)
    }
    _ = try source.fill(header.length)
    let message = source.window.bytes.extracting(first: header.length)
    header.readExtension(message)
    if let timestamp = header.timestamp { advance(to: timestamp) }

    let microsecondsPerTick: Int64 = 100
    let time = ReceiptTime(microsecondsSince1970: ticks &* microsecondsPerTick)
    if header.tellsOfDrops, lossToldAt != offset {
      lossToldAt = offset
      body(
        PacketLogRecord(content: .lost(controller: nil), time: time, offset: offset),
        message.extracting(first: 0))
      return true
    }
    // The stream is one controller's and does not number it.
    let content = MonitorOpcode.content(header.opcode, controller: 0)
    var record = PacketLogRecord(content: content, time: time, offset: offset)
    record.hasWallTime = false
    body(record, message.extracting(header.packetStart..<header.length))
    source.consume(header.length)
    return true
  }

  /// The nearest time to the last one that has these low 32 bits.
  private mutating func advance(to timestamp: UInt32) {
    let step = Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: ticks))
    // Before the first time of all there is nothing to be near to.
    ticks = ticks == 0 ? Int64(timestamp) : ticks &+ Int64(step)
  }
}
