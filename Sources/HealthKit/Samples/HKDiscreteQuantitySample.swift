public import Foundation

/// A sample of a type whose values do not add up. It holds one value, which is its least, its greatest and its
/// latest.
// @unchecked: as for HKObject.
open class HKDiscreteQuantitySample: HKQuantitySample, @unchecked Sendable {
  public var minimumQuantity: HKQuantity { quantity }
  public var averageQuantity: HKQuantity { quantity }
  public var maximumQuantity: HKQuantity { quantity }
  public var mostRecentQuantity: HKQuantity { quantity }
  public var mostRecentQuantityDateInterval: DateInterval { DateInterval(start: startDate, end: endDate) }
}
