/// A packet log that is read once from start to end. The memory used does not depend on its length.
public protocol PacketLogReader {
  var format: PacketLogFormat { get }

  /// The number of bytes of the log that were read as records.
  var bytesRead: Int64 { get }

  /// The length of the log in bytes, or `nil` if it is unknown (a pipe or terminal).
  var totalBytes: Int64? { get }

  /// Reads the next record and calls `body` with it. At the end of the log, `body` is not called.
  ///
  /// - Parameter body: Receives the record and its bytes, which are valid only during the call.
  /// - Returns: `false` at the end of the log, and on every later call.
  /// - Throws: The error that ends the log, with the offset of the damaged record. All records before it have
  ///   been delivered. Later calls throw the same error.
  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool
}

/// The log formats that can be read. The raw values are their names in reports.
public enum PacketLogFormat: String, Sendable, CaseIterable {
  /// btsnoop with the packet type in the record's flags (datalink 1001).
  case btsnoopH1 = "btsnoop-1001"
  /// btsnoop with the UART packet indicator, as written by Android (datalink 1002).
  case btsnoopH4 = "btsnoop-1002"
  /// btsnoop of the Linux monitor channel, as written by `btmon -w` (datalink 2001).
  case btsnoopMonitor = "btsnoop-2001"
  /// The short log in the text of an Android bug report.
  case btsnooz
  case pcap
  case pcapng
  /// Apple PacketLogger.
  case packetLogger = "pklg"
  /// The former format of `hcidump -w`.
  case hciDump = "hcidump"
  /// The Linux monitor protocol on a serial line, as read by `btmon --tty`.
  case monitorStream = "monitor"
}
