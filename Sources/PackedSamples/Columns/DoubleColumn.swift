/// A lossless encoding of `Double`s: decoding returns the same bits.
///
/// Sensor values have few digits. If all values are decimal numbers, they are stored as integers, which
/// mostly take one or two bytes. The first byte is one of:
/// - 255: each number as IEEE 754 binary64, little-endian;
/// - 0 to 10: the number of decimals, then an `IntegerColumn` of the numbers without their decimal points. If
///   16 is added, the column has the order `second`.
package enum DoubleColumn {
  private static let raw: UInt8 = 255
  private static let secondOrder: UInt8 = 16

  package static func append(_ values: [Double], to bytes: inout [UInt8]) {
    guard let (decimals, digits) = DecimalDigits.digits(of: values) else {
      bytes.append(raw)
      for value in values { LittleEndian.append(value.bitPattern, to: &bytes) }
      return
    }
    let first = column(digits, .first)
    let second = column(digits, .second)
    let isSecond = second.count < first.count
    bytes.append(UInt8(decimals) | (isSecond ? secondOrder : 0))
    bytes += isSecond ? second : first
  }

  /// Reads numbers at `position` and advances it. Returns `nil` for bytes that `append` never writes.
  package static func read(_ count: Int, _ bytes: [UInt8], at position: inout Int) -> [Double]? {
    guard position < bytes.count else { return nil }
    let form = bytes[position]
    position += 1
    guard form != raw else { return readRaw(count, bytes, at: &position) }
    let decimals = Int(form & ~secondOrder)
    guard DecimalDigits.isKnown(decimals: decimals) else { return nil }
    let order: IntegerColumn.Order = form & secondOrder == 0 ? .first : .second
    guard let digits = IntegerColumn.read(count, order, bytes, at: &position) else { return nil }
    return DecimalDigits.values(of: digits, decimals: decimals)
  }

  private static func readRaw(_ count: Int, _ bytes: [UInt8], at position: inout Int) -> [Double]? {
    guard count >= 0, count <= (bytes.count - position) / 8 else { return nil }
    var values: [Double] = []
    values.reserveCapacity(count)
    for _ in 0..<count {
      guard let word = LittleEndian.read(bytes, at: &position) else { return nil }
      values.append(Double(bitPattern: word))
    }
    return values
  }

  private static func column(_ digits: [Int64], _ order: IntegerColumn.Order) -> [UInt8] {
    var bytes: [UInt8] = []
    IntegerColumn.append(digits, order, to: &bytes)
    return bytes
  }
}
