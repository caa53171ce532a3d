import Foundation
import HealthStorage

extension QuantitySeries {
  /// - Parameters:
  ///   - quantities: at least one, in order of their starts, no two of which are the same.
  ///   - origin: the start of the sample, in microseconds.
  /// - Throws: for quantities that do not come to a number.
  static func of(
    _ quantities: [SeriesQuantity], in unit: HKUnit, _ type: HKQuantityType, from origin: Int64
  ) throws(HKError) -> QuantitySeries {
    let values = quantities.map {
      SampledValue(start: $0.start, end: $0.end, value: $0.value, unit: 0, provenance: 0)
    }
    let keys = SampledValueKeys(
      units: [0: unit.unitString], sources: [SourceRecord(bundleIdentifier: "", name: "")],
      provenances: [0: 0])
    guard let extremes = SeriesExtremes(of: quantities),
      let figures = try HKStatistics.of(type, values, keys),
      let total = figures.sumQuantity() ?? figures.averageQuantity(), total.value.isFinite
    else { throw HKError(.errorInvalidArgument, reason: "a series of quantities that come to no number") }
    return QuantitySeries(
      unit: unit.unitString, value: total.value, count: quantities.count,
      minimum: extremes.minimum, maximum: extremes.maximum, latest: extremes.latest,
      quantities: QuantitySeriesCodec.encode(quantities, from: origin))
  }
}

extension DateInterval {
  init(_ quantity: SeriesQuantity) {
    let start = Microseconds.date(quantity.start)
    self.init(start: start, end: max(start, Microseconds.date(quantity.end)))
  }
}
