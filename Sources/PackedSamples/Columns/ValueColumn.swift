/// A lossless encoding of a block's values: decoding returns the same bits.
///
/// The first byte says how the values are stored: 0 to 10 is the number of decimals, followed by a
/// `SteppedColumn` of the numbers without their decimal points; 255 means that each number follows as IEEE
/// 754 binary64, little-endian.
enum ValueColumn {
  private static let raw: UInt8 = 255

  /// - Parameter values: At least one value.
  static func append(_ values: [Double], to bytes: inout [UInt8]) {
    guard let (decimals, digits) = DecimalDigits.digits(of: values) else {
      bytes.append(raw)
      for value in values { LittleEndian.append(value.bitPattern, to: &bytes) }
      return
    }
    bytes.append(UInt8(decimals))
    SteppedColumn.append(digits, to: &bytes)
  }

  /// Reads the values of the column.
  /// - Returns: The values; `nil` for bytes that `append` never writes.
  static func read(_ count: Int, _ reader: inout ColumnReader) -> [Double]? {
    guard let form = reader.byte() else { return nil }
    guard form == raw else {
      guard DecimalDigits.isKnown(decimals: Int(form)), let digits = SteppedColumn.read(count, &reader)
      else { return nil }
      return DecimalDigits.values(of: digits, decimals: Int(form))
    }
    var values: [Double] = []
    values.reserveCapacity(count)
    for _ in 0..<count {
      guard let word = reader.word() else { return nil }
      values.append(Double(bitPattern: word))
    }
    return values
  }
}
