/// Reads the bytes of a column in order.
///
/// Bits are read in 64-bit words. The last word may extend beyond the end of the column, so the buffer is
/// padded with zeros.
struct ColumnReader {
  private static let slack = 16

  private let bytes: [UInt8]
  private let end: Int
  private var position = 0

  init(_ column: ArraySlice<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(column.count + Self.slack)
    bytes += column
    bytes += repeatElement(0, count: Self.slack)
    self.bytes = bytes
    end = column.count
  }

  var isAtEnd: Bool { position == end }

  mutating func byte() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a number in LEB128. If it is incomplete, returns `nil` or moves past the end.
  mutating func number() -> UInt64? { LEB128.read(bytes, at: &position) }

  mutating func word() -> UInt64? {
    guard end - position >= 8 else { return nil }
    return LittleEndian.read(bytes, at: &position)
  }

  /// Calls `body` with the next `count` bytes and moves past them. Returns `nil` if fewer are left.
  ///
  /// `body` may read beyond these bytes, because the column is padded with zeros.
  mutating func take<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard position <= end - count else { return nil }
    defer { position += count }
    return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[position...])) }
  }
}
