/// Reads a column's bytes from the first to the last.
///
/// Bits are taken from words of 64, of which the last may reach beyond the column: zeros are there.
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

  /// In LEB128. One that the end cuts short is no number, or moves past the end.
  mutating func number() -> UInt64? { LEB128.read(bytes, at: &position) }

  mutating func word() -> UInt64? {
    guard end - position >= 8 else { return nil }
    return LittleEndian.read(bytes, at: &position)
  }

  /// Lends the next bytes, behind which more may be read, and moves past them; nil if there are fewer.
  mutating func take<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard position <= end - count else { return nil }
    defer { position += count }
    return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[position...])) }
  }
}
