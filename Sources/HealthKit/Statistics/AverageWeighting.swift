import Foundation
import HealthStorage

/// Computes the weight of a sample in an average.
///
/// - For arithmetic types, all samples have the same weight.
/// - For temporally weighted types (heart rate) and sound levels, the weight of a sample with a duration is
///   that duration. The weight of an instantaneous sample is the time for which it is valid (its hold). The
///   hold depends only on the neighboring samples of the same source:
///   1. the time until the next sample, if that is at most `longestHold`;
///   2. otherwise (before a gap or at the end) the time since the previous sample, if that is positive and at
///      most `longestHold`;
///   3. otherwise `longestHold`, so a single sample is its own average.
///
///   If a sample is valid beyond the end of an interval, its whole weight counts in the interval in which it
///   starts.
/// - Sound levels are averaged by energy: 10·log10 of the mean of 10^(L/10).
///
/// Apple does not publish its formula for instantaneous samples, so this one is hrgate's own. Adding,
/// deleting or delaying a sample changes only the weights of its neighbors.
struct AverageWeighting: Sendable {
  /// Maximum time in microseconds for which an instantaneous sample is weighted: five seconds. A strap sends
  /// a heart rate every second, so after five seconds without one, the heart rate is unknown.
  static let longestHold = HourSummary.reach

  let style: HKQuantityAggregationStyle

  var isTemporal: Bool { style.weighsByTime }

  /// Whether the average is the mean of the values themselves. For sound levels it is not, because they are
  /// averaged by energy.
  var averagesPlainly: Bool { style != .discreteEquivalentContinuousLevel }

  /// Converts a value to the number that is averaged: the energy for a sound level, otherwise the value
  /// itself.
  func averaged(_ value: Double) -> Double { averagesPlainly ? value : pow(10, value / 10) }

  /// Converts the mean of numbers returned by `averaged(_:)` back to a value of the type.
  func value(ofMean mean: Double) -> Double { averagesPlainly ? mean : 10 * log10(mean) }

  /// Returns the weight of a part of a sample. For instantaneous samples of temporally weighted types, use
  /// `hold` instead.
  func weight(of part: SamplePart) -> Double { isTemporal ? Double(part.duration) : 1 }

  /// Returns the weight of an instantaneous sample in a temporally weighted average: the time in microseconds
  /// for which it is valid.
  /// - Parameters:
  ///   - previous: The start of the previous sample of the same source; nil without one.
  ///   - next: The start of the next sample of the same source; nil without one.
  static func hold(of start: Int64, after previous: Int64?, before next: Int64?) -> Int64 {
    if let next, next - start <= longestHold { return max(next - start, 0) }
    if let previous, previous < start, start - previous <= longestHold { return start - previous }
    return longestHold
  }
}

extension HKQuantityAggregationStyle {
  /// Whether the weight of a sample in an average is the time it covers.
  package var weighsByTime: Bool {
    self == .discreteTemporallyWeighted || self == .discreteEquivalentContinuousLevel
  }
}

// MARK: - Pending weights

/// Computes the weights of instantaneous samples in an average over time, using `AverageWeighting.hold`.
///
/// The weight of such a sample depends on the next sample of the same source. Until that sample is added, the
/// value is pending and is kept together with the interval (`Place`) in which it will count. Samples must be
/// added in the order of their starts.
struct TemporalWeights<Place: Equatable & Sendable>: Sendable {
  /// A value whose weight is known.
  struct Weighed: Equatable {
    var value: Double
    var weight: Double
    var place: Place
  }

  private struct Rhythm: Sendable {
    /// The start of the sample before the last one.
    var previous: Int64?
    var last: Int64?
    /// The value of the last sample, if it is instantaneous and its weight is pending.
    var waiting: (value: Double, place: Place)?
  }

  private var rhythms: [Rhythm]

  init(sourceCount: Int) {
    rhythms = Array(repeating: Rhythm(), count: sourceCount)
  }

  /// Adds a sample.
  /// - Parameter waiting: The value of an instantaneous sample; nil for a sample whose weight is its
  ///   duration.
  /// - Returns: The previous sample with its weight, if the weight was pending.
  mutating func follow(
    _ start: Int64, of source: Int, waiting: (value: Double, place: Place)?
  ) -> Weighed? {
    let weighed = settle(source, before: start)
    rhythms[source].previous = rhythms[source].last
    rhythms[source].last = start
    rhythms[source].waiting = waiting
    return weighed
  }

  /// Adds consecutive samples of one source. The weight of the last sample is not known yet. The weight of
  /// the first sample is computed here if a gap follows it (`InstantFigures.lone`).
  /// - Returns: The samples whose weights are now known: the previous sample, if its weight was pending, and
  ///   the first of the added samples, if a gap follows it.
  mutating func follow(_ figures: InstantFigures, of source: Int, in place: Place) -> [Weighed] {
    let before = settle(source, before: figures.first)
    let lone = figures.lone.map { lone in
      let hold = AverageWeighting.hold(of: figures.first, after: rhythms[source].last, before: lone.next)
      return Weighed(value: lone.value, weight: Double(hold), place: place)
    }
    rhythms[source] = Rhythm(
      previous: figures.beforeLast ?? rhythms[source].last, last: figures.last,
      waiting: (figures.latest, place))
    return [before, lone].compactMap(\.self)
  }

  /// Adds samples whose weights are all known.
  /// - Returns: The previous sample with its weight, if the weight was pending.
  mutating func pass(from first: Int64, to last: Int64, of source: Int) -> Weighed? {
    let weighed = settle(source, before: first)
    rhythms[source] = Rhythm(previous: nil, last: last, waiting: nil)
    return weighed
  }

  /// Returns whether the weight of the last sample of a source is pending and counts in the given interval.
  func waits(_ source: Int, in place: Place) -> Bool { rhythms[source].waiting?.place == place }

  /// Ends the samples of a source, because there are no more or a gap follows.
  /// - Returns: The last sample with its weight, if the weight was pending.
  mutating func finish(_ source: Int) -> Weighed? { settle(source, before: nil) }

  private mutating func settle(_ source: Int, before next: Int64?) -> Weighed? {
    guard let waiting = rhythms[source].waiting, let start = rhythms[source].last else { return nil }
    rhythms[source].waiting = nil
    let hold = AverageWeighting.hold(of: start, after: rhythms[source].previous, before: next)
    return Weighed(value: waiting.value, weight: Double(hold), place: waiting.place)
  }
}
