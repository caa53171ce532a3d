import HealthStorage

extension HKStatistics {
  /// Returns all statistics of quantities of one type, as a statistics query would, or nil if there are no
  /// quantities.
  /// - Parameter values: The quantities ordered by start.
  static func of(
    _ type: HKQuantityType, _ values: [SampledValue], _ keys: SampledValueKeys
  ) throws(HKError) -> HKStatistics? {
    var fold = fold(type, keys)
    for value in values { try fold.add(value) }
    return of(type, fold)
  }

  /// Returns a `StatisticsFold` without quantities. The quantities of the type must be added in the order of
  /// their starts.
  static func fold(_ type: HKQuantityType, _ keys: SampledValueKeys) -> StatisticsFold {
    StatisticsFold(style: type.aggregationStyle, separates: false, intervals: nil, keys: keys)
  }

  /// Returns the statistics of the quantities that were added to a `StatisticsFold`, or nil if there are no
  /// quantities.
  static func of(_ type: HKQuantityType, _ fold: StatisticsFold) -> HKStatistics? {
    let sources = fold.sources
    guard let unit = fold.unit, let bucket = fold.finish().first,
      // This cannot fail, because the options match the aggregation style.
      let request = try? StatisticsRequest(type, nil, .all(for: type.aggregationStyle))
    else { return nil }
    return HKStatistics(bucket, unit: unit, sources: sources, request: request, bounds: nil)
  }
}

extension HKStatisticsOptions {
  fileprivate static func all(for style: HKQuantityAggregationStyle) -> HKStatisticsOptions {
    style == .cumulative
      ? [.cumulativeSum, .mostRecent, .duration]
      : [.discreteAverage, .discreteMin, .discreteMax, .mostRecent, .duration]
  }
}
