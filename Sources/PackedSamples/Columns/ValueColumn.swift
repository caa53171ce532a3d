/// The values of a block, exactly: what is read equals what was appended, bit by bit.
///
/// The first byte says how: 0…10, the number of decimals, then a `SteppedColumn` of the numbers without their
/// point; 255, each number as IEEE 754 binary64, little-endian.
enum ValueColumn {
  private static let raw: UInt8 = 255

  /// - Parameter values: at least one.
  static func append(_ values: [Double], to bytes: inout [UInt8]) {
    guard let (decimals, digits) = DecimalDigits.digits(of: values) else {
      bytes.append(raw)
      for value in values { LittleEndian.append(value.bitPattern, to: &bytes) }
      return
    }
    bytes.append(UInt8(decimals))
    SteppedColumn.append(digits, to: &bytes)
  }

  /// - Returns: nil for bytes that `append` does not make.
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
