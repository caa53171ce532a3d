public import Foundation

/// The statistics of a quantity type over a time range. Only the requested statistics are available.
///
/// - Sum: if several sources measured at the same time, only the source with the highest priority counts. In
///   its gaps, the other sources count in proportion to time. The sum for a single source includes all of its
///   samples.
/// - All other statistics include the samples of all sources.
/// - The average heart rate is weighted by time. A sample with a duration has that duration as its weight. An
///   instantaneous sample counts until the next sample of its source. Before a gap of more than five seconds,
///   it counts for as long as the previous sample did, or for five seconds if that is unknown.
///
/// Values are in the unit of the first sample.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKStatistics: NSObject, NSCopying, @unchecked Sendable {
  struct Figures: Sendable {
    var average: HKQuantity?
    var minimum: HKQuantity?
    var maximum: HKQuantity?
    var sum: HKQuantity?
    var mostRecent: HKQuantity?
    var mostRecentInterval: DateInterval?
    var duration: HKQuantity?
  }

  public let quantityType: HKQuantityType
  /// The earliest start of a sample. In a collection, the start of the interval.
  public let startDate: Date
  /// The latest end of a sample. In a collection, the end of the interval.
  public let endDate: Date
  /// The number of samples that start in the time range. (Not part of Apple's framework.)
  package let sampleCount: Int
  private let merged: Figures
  private let bySource: [HKSource: Figures]?

  init(
    type: HKQuantityType, start: Date, end: Date, count: Int, merged: Figures, bySource: [HKSource: Figures]?
  ) {
    quantityType = type
    startDate = start
    endDate = end
    sampleCount = count
    self.merged = merged
    self.bySource = bySource
  }

  /// Returns whether the values are equal to those of other statistics for the same time range, ignoring
  /// rounding errors, which depend on the order of additions.
  func hasFigures(of other: HKStatistics) -> Bool {
    guard sampleCount == other.sampleCount, merged.isAlmost(other.merged) else { return false }
    switch (bySource, other.bySource) {
    case (nil, nil): return true
    case (let now?, let before?):
      return now.count == before.count && now.allSatisfy { before[$0]?.isAlmost($1) ?? false }
    default: return false
    }
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// The sources of the samples; nil without the option `separateBySource`.
  public var sources: [HKSource]? {
    bySource.map { $0.keys.sorted { $0.bundleIdentifier < $1.bundleIdentifier } }
  }

  public func averageQuantity() -> HKQuantity? { merged.average }
  public func minimumQuantity() -> HKQuantity? { merged.minimum }
  public func maximumQuantity() -> HKQuantity? { merged.maximum }
  public func sumQuantity() -> HKQuantity? { merged.sum }
  /// Returns the value that ended last.
  public func mostRecentQuantity() -> HKQuantity? { merged.mostRecent }
  public func mostRecentQuantityDateInterval() -> DateInterval? { merged.mostRecentInterval }
  /// Returns the time covered by the samples in seconds. Time covered by several samples counts once.
  public func duration() -> HKQuantity? { merged.duration }

  public func averageQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.average }
  public func minimumQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.minimum }
  public func maximumQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.maximum }
  public func sumQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.sum }
  public func mostRecentQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.mostRecent }
  public func mostRecentQuantityDateInterval(for source: HKSource) -> DateInterval? {
    bySource?[source]?.mostRecentInterval
  }
  public func duration(for source: HKSource) -> HKQuantity? { bySource?[source]?.duration }
}

// MARK: - Creating statistics

extension HKStatistics.Figures {
  /// Computes the requested statistics from an accumulator.
  init(
    _ accumulator: StatisticsAccumulator, unit: HKUnit, style: HKQuantityAggregationStyle,
    options: HKStatisticsOptions
  ) {
    func quantity(_ option: HKStatisticsOptions, _ value: @autoclosure () -> Double?) -> HKQuantity? {
      guard options.contains(option), !accumulator.isEmpty, let value = value() else { return nil }
      return HKQuantity(unit: unit, doubleValue: value)
    }
    let weighting = AverageWeighting(style: style)
    average = quantity(.discreteAverage, accumulator.average.map(weighting.value))
    minimum = quantity(.discreteMin, accumulator.least)
    maximum = quantity(.discreteMax, accumulator.greatest)
    sum = quantity(.cumulativeSum, accumulator.sum)
    mostRecent = quantity(.mostRecent, accumulator.latest?.value)
    if options.contains(.mostRecent), let latest = accumulator.latest {
      mostRecentInterval = DateInterval(
        start: Microseconds.date(latest.start), end: Microseconds.date(latest.end))
    }
    if options.contains(.duration), !accumulator.isEmpty {
      duration = HKQuantity(unit: .second(), doubleValue: Double(accumulator.covered) / 1e6)
    }
  }
}

extension HKStatistics {
  /// Creates the statistics of an interval.
  /// - Parameter bounds: The interval, if it is one of a collection; nil to use the start of the first sample
  ///   and the end of the last one.
  convenience init(
    _ bucket: StatisticsBuckets.Bucket, unit: HKUnit, sources: [HKSource], request: StatisticsRequest,
    bounds: StatisticsIntervals.Bounds?
  ) {
    let style = request.type.aggregationStyle
    func figures(_ accumulator: StatisticsAccumulator) -> Figures {
      Figures(accumulator, unit: unit, style: style, options: request.options)
    }
    let bySource = bucket.bySource.map { (sources[$0], figures($1)) }
    self.init(
      type: request.type,
      start: Microseconds.date(bounds?.start ?? bucket.merged.start),
      end: Microseconds.date(bounds?.end ?? bucket.merged.end), count: bucket.merged.count,
      merged: figures(bucket.merged),
      bySource: request.options.contains(.separateBySource)
        ? Dictionary(bySource) { first, _ in first } : nil)
  }
}

// MARK: - Comparing

extension HKStatistics.Figures {
  /// Maximum relative difference of values that count as equal. It is far above the rounding error of a sum,
  /// and far below the precision of any measurement.
  private static let tolerance = 1e-12

  /// Returns whether the values are equal except for rounding errors. Adding stored hourly summaries rounds
  /// differently than adding individual samples.
  func isAlmost(_ other: Self) -> Bool {
    Self.areAlmostEqual(average, other.average) && Self.areAlmostEqual(sum, other.sum)
      && minimum == other.minimum && maximum == other.maximum && mostRecent == other.mostRecent
      && mostRecentInterval == other.mostRecentInterval && duration == other.duration
  }

  private static func areAlmostEqual(_ one: HKQuantity?, _ other: HKQuantity?) -> Bool {
    guard let one, let other, one.unit == other.unit else { return one == other }
    let greater = max(abs(one.value), abs(other.value))
    // Test for equality first, because the difference of two equal infinities is NaN.
    return one.value == other.value || abs(one.value - other.value) < tolerance * greater
  }
}
