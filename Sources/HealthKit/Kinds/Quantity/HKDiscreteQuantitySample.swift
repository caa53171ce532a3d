public import Foundation
import HealthStorage

/// A sample of a type whose values do not add up. If it holds one value, that is its least, greatest and
/// latest.
// @unchecked: as for HKObject.
open class HKDiscreteQuantitySample: HKQuantitySample, @unchecked Sendable {
  public var minimumQuantity: HKQuantity { series.map { quantity($0.minimum) } ?? quantity }
  /// Weighted as statistics of the type are.
  public var averageQuantity: HKQuantity { quantity }
  public var maximumQuantity: HKQuantity { series.map { quantity($0.maximum) } ?? quantity }
  /// The one that ended last.
  public var mostRecentQuantity: HKQuantity { series.map { quantity($0.latest.value) } ?? quantity }

  /// When the most recent quantity was measured.
  public var mostRecentQuantityDateInterval: DateInterval {
    series.map { DateInterval($0.latest) } ?? DateInterval(start: startDate, end: max(startDate, endDate))
  }

  private func quantity(_ value: Double) -> HKQuantity { HKQuantity(unit: quantity.unit, doubleValue: value) }
}
