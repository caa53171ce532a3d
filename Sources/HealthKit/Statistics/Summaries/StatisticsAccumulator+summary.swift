import HealthStorage

extension HourSummary.Figures {
  /// nil if they are not all finite, or nothing has any weight.
  init?(_ accumulator: StatisticsAccumulator, last: Int64) {
    guard let latest = accumulator.latest, let (sum, weight) = accumulator.weighted else { return nil }
    let values = [accumulator.least, accumulator.greatest, sum, weight, latest.value]
    guard weight > 0, values.allSatisfy(\.isFinite) else { return nil }
    self.init(
      count: accumulator.count, first: accumulator.start, last: last, least: accumulator.least,
      greatest: accumulator.greatest, weightedSum: sum, weight: weight, covered: accumulator.covered,
      latest: latest.value, latestStart: latest.start, latestEnd: latest.end)
  }
}
