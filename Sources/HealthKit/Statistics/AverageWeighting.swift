import Foundation
import HealthStorage

/// How much a sample counts in an average.
///
/// - Arithmetic types: every sample alike.
/// - Temporally weighted types (heart rate) and sound levels: a sample with a duration counts for its
///   duration, an instantaneous one for as long as it holds, which its neighbours of the same source decide
///   alone:
///   1. until the next one, if that comes within `longestHold`;
///   2. else, before a gap or at the end, as long as the one before it did: the time since that one, if it is
///      positive and no longer than `longestHold`;
///   3. else for `longestHold`. So a single sample is its own average.
///
///   The whole hold counts for the interval in which the sample lies.
/// - Sound levels are averaged by their energy, 10·log10 of the mean of 10^(L/10).
///
/// Apple does not publish its formula for instantaneous samples; this one is ours. It is local, so that a
/// sample that is added, deleted or late changes the weights of its neighbours and no others.
struct AverageWeighting: Sendable {
  /// A strap notifies each second; after five seconds without a value there is none.
  static let longestHold = HourSummary.reach

  let style: HKQuantityAggregationStyle

  var isTemporal: Bool { style.weighsByTime }

  /// Whether it is the values themselves whose mean is taken.
  var averagesPlainly: Bool { style != .discreteEquivalentContinuousLevel }

  /// The number whose mean is taken.
  func averaged(_ value: Double) -> Double { averagesPlainly ? value : pow(10, value / 10) }

  /// The value that a mean stands for.
  func value(ofMean mean: Double) -> Double { averagesPlainly ? mean : 10 * log10(mean) }

  /// The weight of a part of a sample, unless it waits for how long it holds.
  func weight(of part: SamplePart) -> Double { isTemporal ? Double(part.duration) : 1 }

  /// How long an instantaneous sample holds.
  /// - Parameters:
  ///   - previous: when the one before it of the same source begins; nil if there is none.
  ///   - next: when the one after it does.
  static func hold(of start: Int64, after previous: Int64?, before next: Int64?) -> Int64 {
    if let next, next - start <= longestHold { return max(next - start, 0) }
    if let previous, previous < start, start - previous <= longestHold { return start - previous }
    return longestHold
  }
}

extension HKQuantityAggregationStyle {
  /// Whether a sample counts in an average for as long as it holds.
  package var weighsByTime: Bool {
    self == .discreteTemporallyWeighted || self == .discreteEquivalentContinuousLevel
  }
}
