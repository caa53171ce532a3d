import HealthStorage

/// A fold that takes summaries of hours where there are some, and makes them where there are none.
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

  /// - Returns: false if the samples must come one by one instead.
  mutating func add(_ instants: PackedInstants) throws(HKError) -> Bool {
    guard fold.weighting.averagesPlainly, try fold.canTake(instants) else { return false }
    let figures = instants.parts.compactMap { InstantFigures($0, fold.weighting) }
    try fold.add(instants, figures)
    collector.add(instants, figures)
    return true
  }

  /// - Returns: false if the samples of the hour must come instead.
  mutating func add(_ hour: HourSummary) throws(HKError) -> Bool {
    guard try fold.add(hour) else { return false }
    collector.pass(hour)
    return true
  }

  /// What was made, and where the change log ended when it was read.
  var summaries: (hours: [HourSummary], position: Int64) { (collector.finish(), position) }
}
