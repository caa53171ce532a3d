import Foundation

/// How much a sample counts in an average.
///
/// - Arithmetic types: every sample alike.
/// - Temporally weighted types (heart rate) and sound levels: a sample with a duration counts for its duration. An
///   instantaneous sample holds until the next sample of the same source, but no longer than `longestHold`: over
///   a gap nothing is known. The last one of a source holds as long as the one before it did, and for
///   `longestHold` if there is none (or none that held): a single sample is its own average. The whole hold counts
///   for the interval in which the sample lies.
/// - Sound levels are averaged by their energy, 10·log10 of the mean of 10^(L/10).
///
/// Apple does not publish its formula for instantaneous samples; this one is ours.
struct AverageWeighting: Sendable {
  /// A strap notifies each second; after five seconds without a value there is none.
  static let longestHold: Int64 = 5_000_000

  let style: HKQuantityAggregationStyle

  var isTemporal: Bool {
    style == .discreteTemporallyWeighted || style == .discreteEquivalentContinuousLevel
  }

  /// The number whose mean is taken.
  func averaged(_ value: Double) -> Double {
    style == .discreteEquivalentContinuousLevel ? pow(10, value / 10) : value
  }

  /// The value that a mean stands for.
  func value(ofMean mean: Double) -> Double {
    style == .discreteEquivalentContinuousLevel ? 10 * log10(mean) : mean
  }

  /// How long a sample holds whose successor starts so much later.
  static func hold(_ time: Int64) -> Int64 { min(max(time, 0), longestHold) }

  /// How long the last sample of a source holds, whose predecessor held so long.
  static func lastHold(after hold: Int64) -> Int64 { hold > 0 ? hold : longestHold }
}
