/// A cumulative sample that stands for many quantities. Every cumulative sample now may, so nothing makes one
/// of these.
// @unchecked: as for HKObject.
@available(*, deprecated, renamed: "HKCumulativeQuantitySample")
public final class HKCumulativeQuantitySeriesSample: HKCumulativeQuantitySample, @unchecked Sendable {
  public var sum: HKQuantity { sumQuantity }
}
