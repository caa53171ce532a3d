// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How the samples of a quantity type combine.
public enum HKQuantityAggregationStyle: Int, Sendable {
  case cumulative = 0
  case discreteArithmetic = 1
  case discreteTemporallyWeighted = 2
  case discreteEquivalentContinuousLevel = 3

  /// As `discreteArithmetic`.
  @available(*, deprecated, renamed: "discreteArithmetic")
  public static var discrete: Self { .discreteArithmetic }
}
