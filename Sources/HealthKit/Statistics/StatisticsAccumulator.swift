import HealthStorage

/// The statistics, so far, of the samples in one interval, either of all sources or of one.
///
/// All values are in one unit, and times are in microseconds. Samples must be added in the order of their
/// starts. Samples that are added as a group may be in any order within the time range of the group.
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
  /// The time covered by the samples. Time covered by several samples counts once.
  private(set) var covered: Int64 = 0
  private var coveredUntil = Int64.min
  private var latestValue = 0.0
  private var latestStart: Int64 = 0
  private var weightedSum = 0.0
  private var weight = 0.0
  private var plainSum = 0.0
  private var plainCount = 0.0

  /// Whether no sample was added. Adding a sample sets `end`.
  var isEmpty: Bool { end == .min }

  /// The sample with the latest end; if there are several, the one with the latest start.
  var latest: Latest? { isEmpty ? nil : Latest(value: latestValue, start: latestStart, end: end) }

  /// Adds a part of a sample that does not begin before the previous one. Does not update the sum, which is
  /// computed separately.
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

  /// Adds a group of instantaneous samples, except for those whose weights are pending. Does not update the
  /// sum, which instantaneous types do not have.
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

  /// Adds the stored statistics of an hour. Its samples must begin after all earlier samples have ended, and
  /// must end before any later sample begins.
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

  /// The weighted sum and the total weight of the values; nil without values.
  var weighted: (sum: Double, weight: Double)? { plainCount > 0 ? (weightedSum, weight) : nil }

  /// The weighted mean, or the plain mean if all weights are 0; nil without values.
  var average: Double? {
    weight > 0 ? weightedSum / weight : plainCount > 0 ? plainSum / plainCount : nil
  }
}

extension HourSummary.Figures {
  /// Creates the statistics of an hour to store. Returns nil if a value is not finite or the total weight is
  /// 0.
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
