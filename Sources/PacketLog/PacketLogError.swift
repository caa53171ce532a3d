internal import Glibc

/// An error while reading or writing a packet log, and its offset in the log.
///
/// ```swift
/// do {
///   var log = try PacketLogFile.open(path: "session.btsnoop")
///   while try log.readRecord({ record, _ in print(record.offset) }) {}
/// } catch {
///   print(error.code.name, error.offset)
/// }
/// ```
public struct PacketLogError: Error, Sendable, Equatable {
  /// The kind of an error, with associated values.
  public enum Code: Sendable, Equatable {
    /// The file is empty.
    case empty
    /// The first bytes do not match any known format.
    case notAPacketLog
    /// The format is known, but the packets are not Bluetooth or are of an unsupported kind.
    case unsupportedDatalink(UInt32)
    /// The log ends within a record or within its header.
    case truncated
    /// A length field exceeds the maximum of a valid record.
    case absurdLength(UInt64)
    /// A field violates the file format. The associated value names the field.
    case malformed(String)
    /// The log is compressed and cannot be decompressed.
    case compressed(Compression, Compression.Problem)
    /// A system call failed with this `errno`.
    case io(Int32)
  }

  /// The kind of the error.
  public var code: Code
  /// The offset of the damaged record in the log, in bytes.
  public var offset: Int64

  public init(_ code: Code, offset: Int64) {
    self.code = code
    self.offset = offset
  }
}

extension PacketLogError.Code {
  /// The stable name of the code, for programs.
  public var name: String {
    switch self {
    case .empty: "empty"
    case .notAPacketLog: "notAPacketLog"
    case .unsupportedDatalink: "unsupportedDatalink"
    case .truncated: "truncated"
    case .absurdLength: "absurdLength"
    case .malformed: "malformed"
    case .compressed: "compressed"
    case .io: "io"
    }
  }
}

extension PacketLogError: CustomStringConvertible {
  public var description: String {
    switch code {
    case .empty: "the file is empty"
    case .notAPacketLog:
      "not a packet log (btsnoop, pcap, pcapng, PacketLogger, hcidump or BlueZ monitor stream)"
    case .unsupportedDatalink(let number): Datalink.whyUnsupported(number)
    case .truncated: "the log ends inside the record at offset \(offset)"
    case .absurdLength(let length):
      "the record at offset \(offset) is damaged: it claims to have \(length) bytes"
    case .malformed(let reason): "damaged at offset \(offset): \(reason)"
    case .compressed(let compression, let problem): problem.sentence(compression)
    case .io(let number): "\(String(cString: strerror(number)))\(offset > 0 ? " (at offset \(offset))" : "")"
    }
  }
}
