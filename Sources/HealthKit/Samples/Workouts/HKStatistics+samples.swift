import HealthStorage

extension HKStatistics {
  /// Everything that can be said of some quantities of a type, as a statistics query would; nil without any.
  /// - Parameter values: in order of their starts.
  static func of(
    _ type: HKQuantityType, _ values: [SampledValue], _ keys: SampledValueKeys
  ) throws(HKError) -> HKStatistics? {
    let style = type.aggregationStyle
    var fold = StatisticsFold(style: style, separates: false, intervals: nil, keys: keys)
    for value in values { try fold.add(value) }
    let sources = fold.sources
    guard let unit = fold.unit, let bucket = fold.finish().first else { return nil }
    let question: StatisticsQuestion
    do {
      question = try StatisticsQuestion(type, nil, .all(for: style))
    } catch {
      throw HKError(invalid: error)
    }
    return HKStatistics(bucket, unit: unit, sources: sources, question: question, bounds: nil)
  }
}

extension HKStatisticsOptions {
  fileprivate static func all(for style: HKQuantityAggregationStyle) -> HKStatisticsOptions {
    style == .cumulative
      ? [.cumulativeSum, .mostRecent, .duration]
      : [.discreteAverage, .discreteMin, .discreteMax, .mostRecent, .duration]
  }
}
