/// The containers that can be read, by the names that reports use.
public enum PacketLogFormat: String, Sendable, CaseIterable {
  /// btsnoop of HCI packets whose type is in the record's flags (datalink 1001).
  case btsnoopH1 = "btsnoop-1001"
  /// btsnoop of HCI packets with the UART packet indicator; what Android writes (datalink 1002).
  case btsnoopH4 = "btsnoop-1002"
  /// btsnoop of the Linux monitor channel; what `btmon -w` writes (datalink 2001).
  case btsnoopMonitor = "btsnoop-2001"
  /// The short log in the text of an Android bug report.
  case btsnooz
  case pcap
  case pcapng
  /// Apple PacketLogger.
  case packetLogger = "pklg"
  /// What `hcidump -w` once wrote.
  case hciDump = "hcidump"
  /// The Linux monitor protocol as it goes over a serial line to `btmon --tty`.
  case monitorStream = "monitor"
}
