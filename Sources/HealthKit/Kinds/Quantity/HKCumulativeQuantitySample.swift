/// A sample of a type whose values add up.
// @unchecked: as for HKObject.
open class HKCumulativeQuantitySample: HKQuantitySample, @unchecked Sendable {
  public var sumQuantity: HKQuantity { quantity }
}
