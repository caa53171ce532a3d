import HealthStorage

/// What is known so far of one group of samples: those of an interval, of all sources or of one.
///
/// Values are in one unit, times in microseconds. Samples come in order of their start; those that are taken
/// at once, in any within their time.
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
  /// How much time the samples cover; where they overlap it counts once.
  private(set) var covered: Int64 = 0
  private var coveredUntil = Int64.min
  private var latestValue = 0.0
  private var latestStart: Int64 = 0
  private var weightedSum = 0.0
  private var weight = 0.0
  private var plainSum = 0.0
  private var plainCount = 0.0

  /// A sample has an end.
  var isEmpty: Bool { end == .min }

  /// The sample that ended last, and of several the last to begin.
  var latest: Latest? { isEmpty ? nil : Latest(value: latestValue, start: latestStart, end: end) }

  /// Takes in a part that begins no earlier than the one before; its share of the sum comes on its own.
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

  /// Takes in instantaneous samples but for the weights that they wait for. It is not asked for a sum.
  mutating func add(_ figures: InstantFigures) {
    extend(
      by: figures.count, from: figures.first, values: (figures.least, figures.greatest),
      latest: Latest(value: figures.latest, start: figures.last, end: figures.last))
    weightedSum += figures.sum
    weight += figures.weight
    plainSum += figures.plainSum
    plainCount += Double(figures.weighed)
  }

  /// Takes in a value, as it is to be averaged, with its weight.
  mutating func average(_ value: Double, weight: Double) {
    weightedSum += value * weight
    self.weight += weight
    plainSum += value
    plainCount += 1
  }

  /// Takes in the figures of an hour, whose samples begin no earlier than all before have ended or begun, and
  /// end before any other begins.
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

  /// What the weighted mean is made of; nil without values.
  var weighted: (sum: Double, weight: Double)? { plainCount > 0 ? (weightedSum, weight) : nil }

  /// The weighted mean; the plain mean if no value has any weight; nil without values.
  var average: Double? {
    weight > 0 ? weightedSum / weight : plainCount > 0 ? plainSum / plainCount : nil
  }
}
