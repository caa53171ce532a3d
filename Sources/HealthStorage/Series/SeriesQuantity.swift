/// A quantity of a series, in the unit of the series.
package struct SeriesQuantity: Hashable, Sendable {
  /// The start in microseconds since 1970.
  package var start: Int64
  /// The end in microseconds since 1970, never before `start`.
  package var end: Int64
  package var value: Double

  package init(start: Int64, end: Int64, value: Double) {
    self.start = start
    self.end = end
    self.value = value
  }
}

/// Statistics that are stored with a series, so that queries need not decode its quantities.
package struct SeriesExtremes: Hashable, Sendable {
  package var minimum: Double
  package var maximum: Double
  /// The quantity that ends last. Among several with the same end, the one that starts last.
  package var latest: SeriesQuantity

  package init(minimum: Double, maximum: Double, latest: SeriesQuantity) {
    self.minimum = minimum
    self.maximum = maximum
    self.latest = latest
  }

  /// Returns `nil` if there are no quantities.
  package init?(of quantities: [SeriesQuantity]) {
    guard let latest = quantities.max(by: { ($0.end, $0.start) < ($1.end, $1.start) }) else { return nil }
    self.init(
      minimum: quantities.reduce(latest.value) { min($0, $1.value) },
      maximum: quantities.reduce(latest.value) { max($0, $1.value) }, latest: latest)
  }
}

/// The content of a sample that consists of several quantities.
package final class QuantitySeries: Sendable {
  package let unit: String
  /// The sum or the average of the quantities.
  package let value: Double
  package let count: Int
  package let minimum: Double
  package let maximum: Double
  package let latest: SeriesQuantity
  /// The quantities, encoded by `QuantitySeriesCodec`; `nil` in query results, because they can be large.
  package let quantities: [UInt8]?

  package init(
    unit: String, value: Double, count: Int, minimum: Double, maximum: Double, latest: SeriesQuantity,
    quantities: [UInt8]?
  ) {
    self.unit = unit
    self.value = value
    self.count = count
    self.minimum = minimum
    self.maximum = maximum
    self.latest = latest
    self.quantities = quantities
  }
}

extension QuantitySeries: Hashable {
  package static func == (left: QuantitySeries, right: QuantitySeries) -> Bool {
    left.unit == right.unit && left.value == right.value && left.count == right.count
      && left.minimum == right.minimum && left.maximum == right.maximum && left.latest == right.latest
      && left.quantities == right.quantities
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(value)
    hasher.combine(count)
    hasher.combine(latest)
  }
}
