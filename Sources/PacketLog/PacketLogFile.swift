/// Opens packet logs. The container is recognised by its content, never by its name, and so is what it is
/// packed with.
public enum PacketLogFile {
  /// Opens a file, a pipe or a terminal and reads as much as tells which container it is; never seeks.
  ///
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - member: Of an archive with several logs, the one to open, by its name in
  ///     ``members(ofArchiveAt:)``.
  ///   - isCancelled: asked several times a second while a pipe or a terminal is silent; where it says yes,
  ///     the read ends with `.io(ECANCELED)`.
  /// - Throws: `.empty`, `.notAPacketLog`, `.unsupportedDatalink`, `.truncated` inside the container's own
  ///   header, `.compressed` for a packed log that cannot be unpacked, `.io` where the system refuses.
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

  /// The names of the logs in an archive.
  ///
  /// - Parameter path: Of a regular file.
  /// - Returns: None for a file that is no archive, or that cannot be read.
  public static func members(ofArchiveAt path: String) -> [String] {
    guard let source = try? ByteSource(path: path, isCancelled: { false }), source.totalBytes != nil,
      (try? compression(of: source)) == .zip
    else { return [] }
    return (try? PackedLog.members(ofArchiveAt: path)) ?? []
  }

  /// Opens a log that is in memory already; it is copied.
  ///
  /// - Throws: as `open(path:)`, save `.io`.
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
