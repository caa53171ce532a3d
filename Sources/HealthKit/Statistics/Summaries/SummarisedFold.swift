import HealthStorage

/// Computes statistics from stored hourly summaries, and creates missing summaries.
struct SummarisedFold: Sendable {
  private(set) var fold: StatisticsFold
  private var collector: HourCollector
  private let position: Int64

  init(
    _ fold: StatisticsFold, style: HKQuantityAggregationStyle, keys: SampledValueKeys, scope: SummaryScope
  ) {
    self.fold = fold
    collector = HourCollector(style: style, keys: keys, scope: scope)
    position = scope.position
  }

  mutating func add(_ sample: SampledValue) throws(HKError) {
    try fold.add(sample)
    collector.add(sample)
  }

  /// Adds a group of instantaneous samples.
  /// - Returns: False if the samples must be added individually instead.
  mutating func add(_ instants: PackedInstants) throws(HKError) -> Bool {
    guard fold.weighting.averagesPlainly, try fold.canTake(instants) else { return false }
    let figures = instants.parts.compactMap { InstantFigures($0, fold.weighting) }
    try fold.add(instants, figures)
    collector.add(instants, figures)
    return true
  }

  /// Adds the summary of an hour.
  /// - Returns: False if the samples of the hour must be added individually instead.
  mutating func add(_ hour: HourSummary) throws(HKError) -> Bool {
    guard try fold.add(hour) else { return false }
    collector.pass(hour)
    return true
  }

  /// The created summaries, and the end of the change log when the samples were read.
  var summaries: (hours: [HourSummary], position: Int64) { (collector.finish(), position) }
}
