internal import Bluetooth
internal import Glibc

/// What Android keeps of the last packets while the full log is off, and prints into a bug report: of most
/// packets only the beginning.
///
/// Version (u8, 1 or 2), the time of the last record in microseconds since 1970 (u64), and packed with zlib
/// the records: length of what is kept with the type octet (u16), in version 2 the length of the packet with
/// it (u16), microseconds since the record before (u32), type (u8), packet; little-endian.
struct BTSnoozReader: PacketLogReader {
  /// Android keeps 256 KiB.
  static let longestPacked = 4 << 20
  private static let longestUnpacked = 16 << 20
  private static let headerLength = 9

  private enum TypeOctet {
    static let event: UInt8 = 0x10
    static let aclReceived: UInt8 = 0x11
    static let synchronousReceived: UInt8 = 0x12
    static let isochronousReceived: UInt8 = 0x17
    static let command: UInt8 = 0x20
    static let aclSent: UInt8 = 0x21
    static let synchronousSent: UInt8 = 0x22
    static let isochronousSent: UInt8 = 0x2D
  }

  private struct Header {
    var length: Int
    var isTruncated: Bool
    var delta: Int64
    var type: UInt8
    var packetStart: Int
  }

  let format = PacketLogFormat.btsnooz
  private let records: [UInt8]
  private let version: UInt8
  private var position = 0
  /// Of the record before; before the first, what its own time counts from.
  private var time: Int64

  /// Only the last record's time is stated, and each says how long it came after the one before. So a log of
  /// which the end is missing cannot be dated, and is refused.
  ///
  /// - Parameter packed: the whole log.
  init(packed: [UInt8]) throws(PacketLogError) {
    let header = packed.span.bytes
    guard let version = header.uint8(at: 0), let last = header.uint64LE(at: 1) else {
      throw PacketLogError(.truncated, offset: 0)
    }
    guard Self.versions.contains(version) else {
      throw PacketLogError(.malformed("unknown btsnooz version"), offset: 0)
    }
    self.version = version
    do {
      records = try Inflation.unpack(packed.dropFirst(Self.headerLength), upTo: Self.longestUnpacked)
    } catch {
      let code: PacketLogError.Code =
        switch error {
        case .truncated: .truncated
        case .malformed: .malformed("packed records of a bug report")
        case .tooLong: .absurdLength(UInt64(Self.longestUnpacked))
        case .noMemory: .io(ENOMEM)
        }
      throw PacketLogError(code, offset: 0)
    }
    time = Int64(bitPattern: last)
    var end = 0
    while let header = self.header(at: end) {
      time &-= header.delta
      end = header.packetStart + header.length
    }
    guard end == records.count else { throw PacketLogError(.truncated, offset: Int64(end)) }
  }

  private static let versions: ClosedRange<UInt8> = 1...2

  /// Version and zlib's own header, whose two octets are a multiple of 31 (RFC 1950, §2.2).
  static func begins(_ bytes: RawSpan) -> Bool {
    guard let version = bytes.uint8(at: 0), versions.contains(version),
      let zlib = bytes.uint16BE(at: headerLength)
    else { return false }
    return Inflation.isHeader(zlib)
  }

  var bytesRead: Int64 { Int64(position) }
  var totalBytes: Int64? { Int64(records.count) }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    guard let header = header(at: position) else { return false }
    time &+= header.delta
    let record = PacketLogRecord(
      content: Self.content(header.type), time: ReceiptTime(microsecondsSince1970: time),
      offset: Int64(position), isTruncated: header.isTruncated)
    position = header.packetStart + header.length
    body(record, records.span.bytes.extracting(header.packetStart..<position))
    return true
  }

  /// - Returns: `nil` where no whole record is.
  private func header(at position: Int) -> Header? {
    let bytes = records.span.bytes
    let hasPacketLength = version > 1
    let rest = position + (hasPacketLength ? 4 : 2)
    guard let counted = bytes.uint16LE(at: position), counted > 0, let delta = bytes.uint32LE(at: rest),
      let type = bytes.uint8(at: rest + 4)
    else { return nil }
    let packetLength = hasPacketLength ? bytes.uint16LE(at: position + 2) ?? counted : counted
    let header = Header(
      length: Int(counted) - 1, isTruncated: packetLength > counted, delta: Int64(delta), type: type,
      packetStart: rest + 5)
    return header.packetStart + header.length <= bytes.byteCount ? header : nil
  }

  private static func content(_ type: UInt8) -> PacketLogRecord.Content {
    switch type {
    case TypeOctet.command: .hci(.command, direction: .hostToController, controller: 0)
    case TypeOctet.event: .hci(.event, direction: .controllerToHost, controller: 0)
    case TypeOctet.aclSent: .hci(.aclData, direction: .hostToController, controller: 0)
    case TypeOctet.aclReceived: .hci(.aclData, direction: .controllerToHost, controller: 0)
    case TypeOctet.synchronousSent: .hci(.synchronousData, direction: .hostToController, controller: 0)
    case TypeOctet.synchronousReceived: .hci(.synchronousData, direction: .controllerToHost, controller: 0)
    case TypeOctet.isochronousSent: .hci(.isochronousData, direction: .hostToController, controller: 0)
    case TypeOctet.isochronousReceived: .hci(.isochronousData, direction: .controllerToHost, controller: 0)
    default: .other
    }
  }
}
