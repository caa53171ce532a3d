internal import Bluetooth

/// The byte order of a log in a format that allows both.
enum ByteOrder: Hashable, Sendable {
  case little
  case big
}

extension RawSpan {
  @inline(__always)
  func uint16(at offset: Int, _ order: ByteOrder) -> UInt16? {
    order == .little ? uint16LE(at: offset) : uint16BE(at: offset)
  }

  @inline(__always)
  func uint32(at offset: Int, _ order: ByteOrder) -> UInt32? {
    order == .little ? uint32LE(at: offset) : uint32BE(at: offset)
  }

  @inline(__always)
  func uint64(at offset: Int, _ order: ByteOrder) -> UInt64? {
    order == .little ? uint64LE(at: offset) : uint64BE(at: offset)
  }
}
