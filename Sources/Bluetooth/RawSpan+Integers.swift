// Bounds-checked, unaligned integer reads. A wire format is decoded by asking for what it promises and
// treating `nil` as "the bytes end here"; no read can trap, whatever a length field claims.
extension RawSpan {
  @inlinable @inline(__always)
  public func uint8(at offset: Int) -> UInt8? {
    guard offset >= 0, offset < byteCount else { return nil }
    return unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  @inlinable @inline(__always)
  public func uint16LE(at offset: Int) -> UInt16? { integer(at: offset).map(UInt16.init(littleEndian:)) }

  @inlinable @inline(__always)
  public func uint16BE(at offset: Int) -> UInt16? { integer(at: offset).map(UInt16.init(bigEndian:)) }

  @inlinable @inline(__always)
  public func uint32LE(at offset: Int) -> UInt32? { integer(at: offset).map(UInt32.init(littleEndian:)) }

  @inlinable @inline(__always)
  public func uint32BE(at offset: Int) -> UInt32? { integer(at: offset).map(UInt32.init(bigEndian:)) }

  @inlinable @inline(__always)
  public func uint64LE(at offset: Int) -> UInt64? { integer(at: offset).map(UInt64.init(littleEndian:)) }

  @inlinable @inline(__always)
  public func uint64BE(at offset: Int) -> UInt64? { integer(at: offset).map(UInt64.init(bigEndian:)) }

  /// The bytes as an array, for the rare value that outlives the buffer it was read from.
  @inlinable
  public func copiedBytes() -> [UInt8] { withUnsafeBytes(Array.init) }

  @inlinable @inline(__always)
  func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Integer? {
    guard offset >= 0, byteCount &- offset >= MemoryLayout<Integer>.size else { return nil }
    return unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Integer.self)
  }
}
