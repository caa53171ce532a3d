internal import Glibc

/// Why a packet log cannot be read further, or written, and where.
public struct PacketLogError: Error, Sendable, Equatable {
  public enum Code: Sendable, Equatable {
    /// The file has no octets at all.
    case empty
    /// The first octets are those of no container known here.
    case notAPacketLog
    /// The container is known; what it carries is not Bluetooth or has no reader here.
    case unsupportedDatalink(UInt32)
    /// The log ends inside a record or inside its own header.
    case truncated
    /// A length field claims more than any sound record of this container can hold.
    case absurdLength(UInt64)
    /// A field contradicts the container's rules; the reason names the field.
    case malformed(String)
    /// The log is packed, and cannot be unpacked as it is given.
    case compressed(Compression, Compression.Obstacle)
    /// The system refused; the value is `errno`.
    case io(Int32)
  }

  public var code: Code
  /// Where in the log the damaged record begins, in octets.
  public var offset: Int64

  public init(_ code: Code, offset: Int64) {
    self.code = code
    self.offset = offset
  }
}

extension PacketLogError.Code {
  /// The code as programs are told it: a word that does not change.
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
    case .absurdLength(let length): "the record at offset \(offset) claims \(length) octets"
    case .malformed(let reason): "damaged at offset \(offset): \(reason)"
    case .compressed(let compression, let obstacle): obstacle.sentence(compression)
    case .io(let number): "\(String(cString: strerror(number)))\(offset > 0 ? " (at offset \(offset))" : "")"
    }
  }
}
