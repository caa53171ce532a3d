// Reads integers at any alignment. The methods return `nil` beyond the end, so a wrong length field cannot
// crash a decoder.
extension RawSpan {
  /// Returns the byte at an offset, or `nil` outside the span.
  @inlinable @inline(__always)
  public func uint8(at offset: Int) -> UInt8? {
    guard offset >= 0, offset < byteCount else { return nil }
    return unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Returns the little-endian integer of 2 bytes at an offset, or `nil` if the span ends before.
  @inlinable @inline(__always)
  public func uint16LE(at offset: Int) -> UInt16? { integer(at: offset).map(UInt16.init(littleEndian:)) }

  /// Returns the big-endian integer of 2 bytes at an offset, or `nil` if the span ends before.
  @inlinable @inline(__always)
  public func uint16BE(at offset: Int) -> UInt16? { integer(at: offset).map(UInt16.init(bigEndian:)) }

  /// Returns the little-endian integer of 4 bytes at an offset, or `nil` if the span ends before.
  @inlinable @inline(__always)
  public func uint32LE(at offset: Int) -> UInt32? { integer(at: offset).map(UInt32.init(littleEndian:)) }

  /// Returns the big-endian integer of 4 bytes at an offset, or `nil` if the span ends before.
  @inlinable @inline(__always)
  public func uint32BE(at offset: Int) -> UInt32? { integer(at: offset).map(UInt32.init(bigEndian:)) }

  /// Returns the little-endian integer of 8 bytes at an offset, or `nil` if the span ends before.
  @inlinable @inline(__always)
  public func uint64LE(at offset: Int) -> UInt64? { integer(at: offset).map(UInt64.init(littleEndian:)) }

  /// Returns the big-endian integer of 8 bytes at an offset, or `nil` if the span ends before.
  @inlinable @inline(__always)
  public func uint64BE(at offset: Int) -> UInt64? { integer(at: offset).map(UInt64.init(bigEndian:)) }

  /// Copies the bytes to an array, which outlives the buffer.
  @inlinable
  public func copiedBytes() -> [UInt8] { withUnsafeBytes(Array.init) }

  @inlinable @inline(__always)
  func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Integer? {
    guard offset >= 0, byteCount &- offset >= MemoryLayout<Integer>.size else { return nil }
    return unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Integer.self)
  }
}
