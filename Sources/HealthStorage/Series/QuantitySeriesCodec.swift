import PackedSamples

/// Lossless encoding of the quantities of a series.
///
/// A version byte (1), the LEB128 of the count, the starts relative to the start of the series (a
/// second-order `IntegerColumn`), a byte that is 1 if any quantity has a duration, in that case the durations
/// (first order), and the values (a `DoubleColumn`). Heart rate at a steady 1 Hz takes two bytes per value.
package enum QuantitySeriesCodec {
  /// - Parameters:
  ///   - quantities: in the order of their starts, which must differ.
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

  /// - Returns: nil for bytes that `encode` does not produce, for starts that do not increase, and for values
  ///   that are not finite. Safe for any input: never traps, and never allocates more than a multiple of the
  ///   input's size.
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
