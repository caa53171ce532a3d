import HealthStorage

extension HKStatistics {
  /// Everything that can be said of some quantities of a type, as a statistics query would; nil without any.
  /// - Parameter values: in order of their starts.
  static func of(
    _ type: HKQuantityType, _ values: [SampledValue], _ keys: SampledValueKeys
  ) throws(HKError) -> HKStatistics? {
    var fold = fold(type, keys)
    for value in values { try fold.add(value) }
    return of(type, fold)
  }

  /// What is to take in quantities of a type, in order of their starts.
  static func fold(_ type: HKQuantityType, _ keys: SampledValueKeys) -> StatisticsFold {
    StatisticsFold(style: type.aggregationStyle, separates: false, intervals: nil, keys: keys)
  }

  /// nil if nothing was taken in.
  static func of(_ type: HKQuantityType, _ fold: StatisticsFold) -> HKStatistics? {
    let sources = fold.sources
    guard let unit = fold.unit, let bucket = fold.finish().first,
      // These options are those of the style.
      let question = try? StatisticsQuestion(type, nil, .all(for: type.aggregationStyle))
    else { return nil }
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
