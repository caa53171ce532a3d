internal import Bluetooth
internal import Glibc

/// Reads btsnooz, the short log that Android keeps while full logging is off and includes in bug reports.
///
/// Android stores only the beginning of most packets.
///
/// A log is a version (u8, 1 or 2), the time of the last record in microseconds since 1970 (u64), and the
/// records, compressed with zlib. A record is the stored length including the type byte (u16), in version 2
/// the original length including the type byte (u16), the microseconds since the previous record (u32), the
/// type (u8), and the packet. All fields are little-endian.
struct BTSnoozReader: PacketLogReader {
  /// Maximum compressed length in bytes. Android keeps 256 KiB.
  static let longestPacked = 4 << 20
  private static let longestUnpacked = 16 << 20
  private static let headerLength = 9

  private enum TypeByte {
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
  /// The time of the previous record. Before the first record, the time to which its delta is added.
  private var time: Int64

  /// Decompresses the log and computes the time of its first record.
  ///
  /// Only the time of the last record is absolute; each record stores the delta to the previous one. A
  /// truncated log therefore has no known times, and is rejected.
  ///
  /// - Parameter packed: The whole log.
  /// - Throws: `.truncated`, `.malformed`, `.absurdLength`, or `.io(ENOMEM)`.
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
        case .malformed: .malformed("the compressed records of the bug report cannot be unpacked")
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

  /// Returns whether the bytes start with a known version and a zlib header (RFC 1950, §2.2).
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

  /// - Returns: The header, or `nil` if no complete record is left.
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
    case TypeByte.command: .hci(.command, direction: .hostToController, controller: 0)
    case TypeByte.event: .hci(.event, direction: .controllerToHost, controller: 0)
    case TypeByte.aclSent: .hci(.aclData, direction: .hostToController, controller: 0)
    case TypeByte.aclReceived: .hci(.aclData, direction: .controllerToHost, controller: 0)
    case TypeByte.synchronousSent: .hci(.synchronousData, direction: .hostToController, controller: 0)
    case TypeByte.synchronousReceived: .hci(.synchronousData, direction: .controllerToHost, controller: 0)
    case TypeByte.isochronousSent: .hci(.isochronousData, direction: .hostToController, controller: 0)
    case TypeByte.isochronousReceived: .hci(.isochronousData, direction: .controllerToHost, controller: 0)
    default: .other
    }
  }
}
