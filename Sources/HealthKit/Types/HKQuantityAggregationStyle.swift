/// How the samples of a quantity type combine.
public enum HKQuantityAggregationStyle: Int, Sendable {
  /// Values add up.
  case cumulative = 0
  /// Each value counts alike.
  case discreteArithmetic = 1
  /// A value counts for as long as it holds.
  case discreteTemporallyWeighted = 2
  /// Sound levels, averaged by energy (IEC 61672-1).
  case discreteEquivalentContinuousLevel = 3
}
