/// The container formats that can be read, with their names in reports.
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
