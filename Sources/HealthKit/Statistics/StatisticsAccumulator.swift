import Foundation

/// What is known so far of one group of samples: those of an interval, of all sources or of one.
///
/// Values are in one unit, times in microseconds.
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
  private(set) var latest: Latest?
  private(set) var sum = 0.0
  private(set) var covered: Int64 = 0
  private var weightedSum = 0.0
  private var weight = 0.0
  private var plainSum = 0.0
  private var plainCount = 0.0

  var isEmpty: Bool { latest == nil }

  /// Takes in a sample, or the part of it that lies in the interval.
  /// - Parameters:
  ///   - fraction: how much of the sample lies here, 0...1.
  ///   - covered: how long that part is.
  ///   - isStart: whether the sample begins here.
  mutating func add(value: Double, start: Int64, end: Int64, fraction: Double, covered: Int64, isStart: Bool)
  {
    if isStart { count += 1 }
    self.start = min(self.start, start)
    self.end = max(self.end, end)
    least = min(least, value)
    greatest = max(greatest, value)
    sum += value * fraction
    self.covered += covered
    if latest.map({ end >= $0.end }) ?? true { latest = Latest(value: value, start: start, end: end) }
  }

  /// Takes in a value, as it is to be averaged, with its weight.
  mutating func average(_ value: Double, weight: Double) {
    weightedSum += value * weight
    self.weight += weight
    plainSum += value
    plainCount += 1
  }

  /// The weighted mean; the plain mean if no value has any weight; nil without values.
  var average: Double? {
    weight > 0 ? weightedSum / weight : plainCount > 0 ? plainSum / plainCount : nil
  }
}
