/// A cumulative sample that stands for many quantities. Every cumulative sample may now, so that nothing is made of this
/// class any more.
// @unchecked: as for HKObject.
@available(*, deprecated, renamed: "HKCumulativeQuantitySample")
public final class HKCumulativeQuantitySeriesSample: HKCumulativeQuantitySample, @unchecked Sendable {
  public var sum: HKQuantity { sumQuantity }
}
