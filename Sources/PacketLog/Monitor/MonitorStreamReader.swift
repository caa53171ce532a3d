internal import Bluetooth

/// Reads the Linux monitor protocol that a controller's firmware sends over a serial line.
///
/// The stream contains only the time since its start, so the first message has a time near 1970-01-01 00:00
/// UTC. A message without a time gets that of the previous one.
struct MonitorStreamReader: PacketLogReader {
  let format = PacketLogFormat.monitorStream
  private let source: ByteSource
  /// Time since the start in units of 100 µs. It keeps counting when the stream's 32-bit counter overflows
  /// (every five days).
  private var ticks: Int64 = 0
  private var lossReportedAt: Int64 = -1

  init(_ source: ByteSource) { self.source = source }

  var bytesRead: Int64 { source.offset }
  var totalBytes: Int64? { source.totalBytes }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    guard try source.fill(MonitorStreamHeader.fixedLength) else { return false }
    let offset = source.offset
    guard var header = MonitorStreamHeader(fixedPart: source.window.bytes) else {
      throw PacketLogError(.malformed("the lengths in a monitor message do not match"), offset: offset)
    }
    _ = try source.fill(header.length)
    let message = source.window.bytes.extracting(first: header.length)
    header.readExtension(message)
    if let timestamp = header.timestamp { advance(to: timestamp) }

    let microsecondsPerTick: Int64 = 100
    let time = ReceiptTime(microsecondsSince1970: ticks &* microsecondsPerTick)
    if header.reportsDrops, lossReportedAt != offset {
      lossReportedAt = offset
      body(
        PacketLogRecord(content: .lost(controller: nil), time: time, offset: offset),
        message.extracting(first: 0))
      return true
    }
    // The stream comes from a single controller and has no controller number.
    let content = MonitorOpcode.content(header.opcode, controller: 0)
    var record = PacketLogRecord(content: content, time: time, offset: offset)
    record.hasWallTime = false
    body(record, message.extracting(header.packetStart..<header.length))
    source.consume(header.length)
    return true
  }

  /// Advances to the time whose low 32 bits are `timestamp`. If several match, uses the one nearest to the
  /// last time.
  private mutating func advance(to timestamp: UInt32) {
    let step = Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: ticks))
    // Before the first message, there is no time to compare the timestamp with.
    ticks = ticks == 0 ? Int64(timestamp) : ticks &+ Int64(step)
  }
}
