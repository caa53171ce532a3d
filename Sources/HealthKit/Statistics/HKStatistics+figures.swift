import Foundation

extension HKStatistics.Figures {
  /// The figures asked for.
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
  /// - Parameter bounds: the interval of a collection; nil for the bounds of the samples.
  convenience init(
    _ bucket: StatisticsBuckets.Bucket, unit: HKUnit, sources: [HKSource], question: StatisticsQuestion,
    bounds: StatisticsIntervals.Bounds?
  ) {
    let style = question.type.aggregationStyle
    func figures(_ accumulator: StatisticsAccumulator) -> Figures {
      Figures(accumulator, unit: unit, style: style, options: question.options)
    }
    let bySource = bucket.bySource.map { (sources[$0], figures($1)) }
    self.init(
      type: question.type,
      start: Microseconds.date(bounds?.start ?? bucket.merged.start),
      end: Microseconds.date(bounds?.end ?? bucket.merged.end), count: bucket.merged.count,
      merged: figures(bucket.merged),
      bySource: question.options.contains(.separateBySource)
        ? Dictionary(bySource) { first, _ in first } : nil)
  }
}
