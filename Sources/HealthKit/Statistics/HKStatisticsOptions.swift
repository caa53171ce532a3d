/// Which statistics to compute.
public struct HKStatisticsOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Computes the statistics of each source, in addition to those of all sources together.
  public static let separateBySource = HKStatisticsOptions(rawValue: 1)
  public static let discreteAverage = HKStatisticsOptions(rawValue: 2)
  public static let discreteMin = HKStatisticsOptions(rawValue: 4)
  public static let discreteMax = HKStatisticsOptions(rawValue: 8)
  public static let cumulativeSum = HKStatisticsOptions(rawValue: 16)
  public static let mostRecent = HKStatisticsOptions(rawValue: 32)
  @available(*, deprecated, renamed: "mostRecent")
  public static let discreteMostRecent = HKStatisticsOptions.mostRecent
  /// Calculates the time covered by the samples.
  public static let duration = HKStatisticsOptions(rawValue: 64)

  private static let discrete: HKStatisticsOptions = [.discreteAverage, .discreteMin, .discreteMax]

  /// Checks the options against a quantity type.
  /// - Throws: `HKValidationError` if an option does not match the aggregation style of the type.
  func check(for type: HKQuantityType) throws(HKValidationError) {
    let isCumulative = type.aggregationStyle == .cumulative
    guard isDisjoint(with: isCumulative ? Self.discrete : .cumulativeSum) else {
      throw HKValidationError(
        "Statistics options \(rawValue) are not compatible with \(isCumulative ? "cumulative" : "discrete") "
          + "data type \(type)")
    }
  }
}
