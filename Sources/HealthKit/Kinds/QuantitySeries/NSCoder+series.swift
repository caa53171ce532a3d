import Foundation
import HealthStorage

/// Decodes and encodes the properties of a series sample: count, minimum, maximum and most recent quantity.
extension NSCoder {
  private enum Key {
    static let count = "count"
    static let minimum = "minimumQuantity"
    static let maximum = "maximumQuantity"
    static let latest = "mostRecentQuantity"
    static let latestStart = "mostRecentQuantityStartDate"
    static let latestEnd = "mostRecentQuantityEndDate"
  }

  func encodeFigures(of series: QuantitySeries?) {
    guard let series else { return }
    encode(series.count, forKey: Key.count)
    encode(series.minimum, forKey: Key.minimum)
    encode(series.maximum, forKey: Key.maximum)
    encode(series.latest.value, forKey: Key.latest)
    encode(Microseconds.date(series.latest.start) as NSDate, forKey: Key.latestStart)
    encode(Microseconds.date(series.latest.end) as NSDate, forKey: Key.latestEnd)
  }

  /// Decodes the properties of a series. Returns an `ArchivedPresence` without an object if the sample is not
  /// a series, and nil if the properties are invalid.
  /// - Parameter interval: The start and end of the sample.
  func figures(ofSeries quantity: HKQuantity, over interval: SampleInterval) -> ArchivedPresence<
    QuantitySeries
  >? {
    guard hasValue(forKey: Key.count) else { return ArchivedPresence(object: nil) }
    guard let count = integer(forKey: Key.count), count > 0 else { return nil }
    guard [Key.minimum, Key.maximum, Key.latest].contains(where: hasValue) else {
      // In Apple's archives, the keys of the minimum, maximum and most recent quantity are unknown. Use the
      // sum or average for them.
      let value = quantity.value
      let whole = SeriesQuantity(
        start: interval.startMicroseconds, end: interval.endMicroseconds, value: value)
      let series = QuantitySeries(
        unit: quantity.unit.unitString, value: value, count: count, minimum: value, maximum: value,
        latest: whole, quantities: nil)
      return ArchivedPresence(object: count == 1 ? nil : series)
    }
    guard let minimum = real(forKey: Key.minimum),
      let maximum = real(forKey: Key.maximum), let latest = real(forKey: Key.latest),
      minimum.isFinite, maximum.isFinite, minimum <= latest, latest <= maximum,
      let start = date(forKey: Key.latestStart).flatMap(Microseconds.of),
      let end = date(forKey: Key.latestEnd).flatMap(Microseconds.of), start <= end
    else { return nil }
    return ArchivedPresence(
      object: QuantitySeries(
        unit: quantity.unit.unitString, value: quantity.value, count: count, minimum: minimum,
        maximum: maximum, latest: SeriesQuantity(start: start, end: end, value: latest), quantities: nil))
  }
}
