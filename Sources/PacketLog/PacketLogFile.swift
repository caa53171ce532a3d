/// Opens packet logs. The format and the compression are detected from the content, never from the file name.
public enum PacketLogFile {
  /// Opens a file, pipe, or terminal, and reads enough to identify the format. Never seeks.
  ///
  /// - Parameters:
  ///   - path: The path of the log; `-` is standard input.
  ///   - member: If the file is an archive with several logs, the name of one of ``members(ofArchiveAt:)``.
  ///   - isCancelled: Called several times per second while a pipe or terminal has no data. If it returns
  ///     true, the read fails with `.io(ECANCELED)`.
  /// - Throws: `.empty`; `.notAPacketLog`; `.unsupportedDatalink`; `.truncated` if the log ends within its
  ///   header; `.compressed` if a compressed log cannot be decompressed; `.io` if a system call fails.
  public static func open(
    path: String, member: String? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(PacketLogError) -> any PacketLogReader {
    let source = try ByteSource(path: path, isCancelled: isCancelled)
    guard let compression = try compression(of: source) else { return try reader(over: source) }
    guard path != "-", source.totalBytes != nil else {
      throw PacketLogError(.compressed(compression, .noFile), offset: 0)
    }
    return try reader(over: PackedLog.source(compression, at: path, member: member))
  }

  /// Returns the names of the logs in an archive.
  ///
  /// ```swift
  /// for member in PacketLogFile.members(ofArchiveAt: "logs.zip") {
  ///   let log = try PacketLogFile.open(path: "logs.zip", member: member)
  ///   print(member, log.format)
  /// }
  /// ```
  ///
  /// - Parameter path: The path of a regular file.
  /// - Returns: The names. Empty if the file is not an archive or cannot be read.
  public static func members(ofArchiveAt path: String) -> [String] {
    guard let source = try? ByteSource(path: path, isCancelled: { false }), source.totalBytes != nil,
      (try? compression(of: source)) == .zip
    else { return [] }
    return (try? PackedLog.members(ofArchiveAt: path)) ?? []
  }

  /// Opens a log in memory. The bytes are copied.
  ///
  /// - Throws: The errors of ``open(path:member:isCancelled:)``, except `.io`.
  public static func open(bytes: [UInt8]) throws(PacketLogError) -> any PacketLogReader {
    try reader(over: ByteSource(bytes: bytes))
  }

  private static func compression(of source: ByteSource) throws(PacketLogError) -> Compression? {
    let available = try source.gather(FormatSignature.lookAhead)
    return Compression(of: source.window.bytes.extracting(first: available))
  }

  private static func reader(over source: ByteSource) throws(PacketLogError) -> any PacketLogReader {
    if let compression = try compression(of: source) {
      throw PacketLogError(.compressed(compression, .noFile), offset: 0)
    }
    let available = try source.gather(FormatSignature.lookAhead)
    guard available > 0 else { throw PacketLogError(.empty, offset: 0) }
    switch FormatSignature(of: source.window.bytes.extracting(first: available)) {
    case .btsnoop: return try BTSnoopReader(source)
    case .pcap(let variant): return try PCAPReader(source, variant)
    case .pcapng: return try PCAPNGReader(source)
    case .packetLogger(let order): return PacketLoggerReader(source, order)
    case .hciDump: return HCIDumpReader(source)
    case .monitorStream: return MonitorStreamReader(source)
    case .btsnooz: return try BTSnoozReader(packed: source.remainder(upTo: BTSnoozReader.longestPacked))
    case .text:
      guard let packed = try BugReport.summary(in: source) else {
        throw PacketLogError(.notAPacketLog, offset: 0)
      }
      return try BTSnoozReader(packed: packed)
    case .cutShort: throw PacketLogError(.truncated, offset: 0)
    case nil: throw PacketLogError(.notAPacketLog, offset: 0)
    }
  }
}
