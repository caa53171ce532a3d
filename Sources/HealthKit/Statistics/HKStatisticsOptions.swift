/// What statistics are to be calculated.
public struct HKStatisticsOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Beside the merged values those of each source.
  public static let separateBySource = HKStatisticsOptions(rawValue: 1)
  public static let discreteAverage = HKStatisticsOptions(rawValue: 2)
  public static let discreteMin = HKStatisticsOptions(rawValue: 4)
  public static let discreteMax = HKStatisticsOptions(rawValue: 8)
  public static let cumulativeSum = HKStatisticsOptions(rawValue: 16)
  public static let mostRecent = HKStatisticsOptions(rawValue: 32)
  @available(*, deprecated, renamed: "mostRecent")
  public static let discreteMostRecent = HKStatisticsOptions.mostRecent
  /// The time that the samples cover.
  public static let duration = HKStatisticsOptions(rawValue: 64)

  private static let discrete: HKStatisticsOptions = [.discreteAverage, .discreteMin, .discreteMax]

  /// - Throws: for an option that does not fit how the type aggregates.
  func check(for type: HKQuantityType) throws(HKValidationError) {
    let isCumulative = type.aggregationStyle == .cumulative
    guard isDisjoint(with: isCumulative ? Self.discrete : .cumulativeSum) else {
      throw HKValidationError(
        "Statistics options \(rawValue) are not compatible with \(isCumulative ? "cumulative" : "discrete") "
          + "data type \(type)")
    }
  }
}
