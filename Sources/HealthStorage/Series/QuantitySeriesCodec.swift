import PackedSamples

/// Encodes the quantities of a series without loss.
///
/// The bytes are: a version (1), the LEB128 of the count, the starts relative to the start of the series (an
/// `IntegerColumn` of second order), a byte that is 1 if any quantity has a duration, if so the durations (an
/// `IntegerColumn` of first order), and the values (a `DoubleColumn`). Heart rates once per second take two
/// bytes each.
package enum QuantitySeriesCodec {
  /// - Parameters:
  ///   - quantities: The quantities, sorted by start. No two may have the same start.
  ///   - origin: The start of the series, in microseconds since 1970.
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

  /// - Returns: The quantities; `nil` for bytes that `encode` never returns, if starts do not increase, or if
  ///   a value is not finite. Invalid bytes do not cause a crash, and need at most a multiple of their own
  ///   size in memory.
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
