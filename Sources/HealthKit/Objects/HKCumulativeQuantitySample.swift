/// A stored sample of a type whose values add up.
public final class HKCumulativeQuantitySample: HKQuantitySample, @unchecked Sendable {
  // @unchecked: as for HKObject.
  public var sumQuantity: HKQuantity { quantity }
}
