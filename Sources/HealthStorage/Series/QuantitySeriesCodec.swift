import PackedSamples

/// The quantities of a series as bytes, exactly: what is decoded equals what was encoded, bit by bit.
///
/// A version byte (1), the LEB128 of the count, the starts (an `IntegerColumn` of the second order, from the
/// start of the series), a byte that says whether any quantity lasts (1) and if so how long each does (of the
/// first order), and the values (a `DoubleColumn`). Heart rate at a steady 1 Hz costs two bytes a value.
package enum QuantitySeriesCodec {
  /// - Parameters:
  ///   - quantities: in order of their starts, no two of which are the same.
  ///   - origin: the start of the series, in microseconds since 1970.
  package static func encode(_ quantities: [SeriesQuantity], from origin: Int64) -> [UInt8] {
    var bytes: [UInt8] = [1]
    bytes.reserveCapacity(16 + 3 * quantities.count)
    LEB128.append(UInt64(quantities.count), to: &bytes)
    IntegerColumn.append(quantities.map { $0.start &- origin }, .second, to: &bytes)
    let lasts = quantities.contains { $0.end != $0.start }
    bytes.append(lasts ? 1 : 0)
    if lasts { IntegerColumn.append(quantities.map { $0.end &- $0.start }, .first, to: &bytes) }
    DoubleColumn.append(quantities.map(\.value), to: &bytes)
    return bytes
  }

  /// - Returns: nil for bytes that `encode` does not produce, with starts that do not ascend, or with a value
  ///   that is not finite. No input traps or allocates beyond a multiple of its own size.
  package static func decode(_ bytes: [UInt8], from origin: Int64) -> [SeriesQuantity]? {
    var position = 1
    guard bytes.first == 1, let declared = LEB128.read(bytes, at: &position),
      let count = Int(exactly: declared), count > 0,
      let starts = IntegerColumn.read(count, .second, bytes, at: &position), position < bytes.count,
      bytes[position] <= 1
    else { return nil }
    let lasts = bytes[position] == 1
    position += 1
    var durations: [Int64]?
    if lasts {
      guard let read = IntegerColumn.read(count, .first, bytes, at: &position) else { return nil }
      durations = read
    }
    guard let values = DoubleColumn.read(count, bytes, at: &position), position == bytes.count else {
      return nil
    }
    return quantities(origin, starts, durations, values)
  }

  private static func quantities(
    _ origin: Int64, _ starts: [Int64], _ durations: [Int64]?, _ values: [Double]
  ) -> [SeriesQuantity]? {
    var quantities: [SeriesQuantity] = []
    quantities.reserveCapacity(starts.count)
    for index in starts.indices {
      let (start, startOverflows) = origin.addingReportingOverflow(starts[index])
      let (end, endOverflows) = start.addingReportingOverflow(durations?[index] ?? 0)
      guard !startOverflows, !endOverflows, end >= start, values[index].isFinite,
        quantities.last.map({ $0.start < start }) ?? true
      else { return nil }
      quantities.append(SeriesQuantity(start: start, end: end, value: values[index]))
    }
    return quantities
  }
}
