import HealthStorage

/// The running figures of a group of samples: those of one interval, either of all sources or of one.
///
/// All values are in one unit, times in microseconds. Samples must be added in order of their start. Samples
/// added as a group may be in any order within their time range.
struct StatisticsAccumulator: Sendable {
  struct Latest: Sendable {
    var value: Double
    var start: Int64
    var end: Int64
  }

  private(set) var count = 0
  private(set) var start = Int64.max
  private(set) var end = Int64.min
  private(set) var least = Double.infinity
  private(set) var greatest = -Double.infinity
  private(set) var sum = 0.0
  /// The time covered by the samples. Overlapping samples count once.
  private(set) var covered: Int64 = 0
  private var coveredUntil = Int64.min
  private var latestValue = 0.0
  private var latestStart: Int64 = 0
  private var weightedSum = 0.0
  private var weight = 0.0
  private var plainSum = 0.0
  private var plainCount = 0.0

  /// Whether no sample has been added; any sample sets `end`.
  var isEmpty: Bool { end == .min }

  /// The sample that ended last; among several, the one that began last.
  var latest: Latest? { isEmpty ? nil : Latest(value: latestValue, start: latestStart, end: end) }

  /// Adds a part that does not begin before the previous one. Its share of the sum is added separately.
  mutating func add(_ part: SamplePart) {
    if part.from == part.start { count += 1 }
    if part.start < start { start = part.start }
    if part.value < least { least = part.value }
    if part.value > greatest { greatest = part.value }
    if part.end >= end {
      end = part.end
      latestValue = part.value
      latestStart = part.start
    }
    if part.to > part.from, part.to > coveredUntil {
      covered += part.to - max(part.from, coveredUntil)
      coveredUntil = part.to
    }
  }

  mutating func add(sum share: Double) { sum += share }

  /// Adds instantaneous samples, except for pending weights. Does not add to the sum, which only cumulative
  /// types have.
  mutating func add(_ figures: InstantFigures) {
    extend(
      by: figures.count, from: figures.first, values: (figures.least, figures.greatest),
      latest: Latest(value: figures.latest, start: figures.last, end: figures.last))
    weightedSum += figures.sum
    weight += figures.weight
    plainSum += figures.plainSum
    plainCount += Double(figures.weighed)
  }

  /// Adds a value to the weighted average.
  /// - Parameter value: The value as it is averaged (see `AverageWeighting.averaged(_:)`).
  mutating func average(_ value: Double, weight: Double) {
    weightedSum += value * weight
    self.weight += weight
    plainSum += value
    plainCount += 1
  }

  /// Adds the figures of an hour. Its samples must not begin before all previous ones have begun or ended,
  /// and must end before any later one begins.
  mutating func add(_ hour: HourSummary.Figures) {
    extend(
      by: hour.count, from: hour.first, values: (hour.least, hour.greatest),
      latest: Latest(value: hour.latest, start: hour.latestStart, end: hour.latestEnd))
    covered += hour.covered
    weightedSum += hour.weightedSum
    weight += hour.weight
  }

  private mutating func extend(
    by count: Int, from first: Int64, values: (least: Double, greatest: Double), latest: Latest
  ) {
    self.count += count
    start = min(start, first)
    least = min(least, values.least)
    greatest = max(greatest, values.greatest)
    if latest.end >= end { (end, latestValue, latestStart) = (latest.end, latest.value, latest.start) }
  }

  /// The sum and weight of the weighted mean; nil without values.
  var weighted: (sum: Double, weight: Double)? { plainCount > 0 ? (weightedSum, weight) : nil }

  /// The weighted mean, or the plain mean if all weights are 0; nil without values.
  var average: Double? {
    weight > 0 ? weightedSum / weight : plainCount > 0 ? plainSum / plainCount : nil
  }
}

extension HourSummary.Figures {
  /// Returns nil if a figure is not finite or the total weight is 0.
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
