/// A segment, and for each of its intervals what is known of it. The intervals are as they were measured.
public struct MarkedSegment: Hashable, Sendable {
  /// When the first beat was, as ``RRSegment/start``.
  public let start: Double
  /// Milliseconds, oldest first.
  public let intervals: [Double]
  /// One for each interval.
  public let marks: [IntervalMark]
  /// Whether all marks are `normal`, as most segments' are.
  let isNormal: Bool
  /// The sums, in milliseconds, of the intervals before each 32nd one; and last of all of them. When an
  /// interval ends is added up from there: held for each, it would be as much again as the intervals are.
  private let sums: [Double]

  private static let stride = 32

  /// Both arrays are of one length; what is longer is cut off.
  init(start: Double, intervals: [Double], marks: [IntervalMark]) {
    let count = min(intervals.count, marks.count)
    let marks = marks.count == count ? marks : Array(marks.prefix(count))
    self.init(
      start: start, intervals: intervals.count == count ? intervals : Array(intervals.prefix(count)),
      marks: marks, isNormal: marks.allSatisfy { $0 == .normal })
  }

  /// - Parameters:
  ///   - marks: As many as intervals.
  ///   - isNormal: Whether they are all `normal`.
  init(start: Double, intervals: [Double], marks: [IntervalMark], isNormal: Bool) {
    self.start = start
    self.intervals = intervals
    self.marks = marks
    self.isNormal = isNormal
    sums = Self.sums(of: intervals)
  }

  /// In milliseconds, in which whole ticks are exact.
  private static func sums(of intervals: [Double]) -> [Double] {
    let count = intervals.count / stride + 2
    return [Double](unsafeUninitializedCapacity: count) { sums, filled in
      var sum = 0.0
      for place in 0..<count - 1 {
        sums.initializeElement(at: place, to: sum)
        for interval in intervals[place * stride..<min((place + 1) * stride, intervals.count)] {
          sum += interval
        }
      }
      sums.initializeElement(at: count - 1, to: sum)
      filled = count
    }
  }

  /// Seconds from the first beat to the last.
  public var duration: Double { sums[sums.count - 1] / 1000 }

  /// When each interval ends, in seconds since ``start``. It is added up each time it is asked for.
  public var ends: [Double] {
    var ends: [Double] = []
    ends.reserveCapacity(intervals.count)
    forEachEnd(in: intervals.indices) { ends.append($1) }
    return ends
  }

  /// When an interval begins, in seconds since ``start``; for the number of intervals, when the last ends.
  func beginning(of index: Int) -> Double { sum(before: index) / 1000 }

  /// When an interval ends, in seconds since ``start``.
  func end(of index: Int) -> Double { beginning(of: index + 1) }

  /// Calls with the index of each interval of a range, and when it ends, in seconds since ``start``.
  @inline(__always) func forEachEnd(in range: Range<Int>, _ take: (Int, Double) -> Void) {
    var sum = sum(before: range.lowerBound)
    for index in range {
      sum += intervals[index]
      take(index, sum / 1000)
    }
  }

  /// The sum of so many intervals, in milliseconds: always added in one order, so that the bits are the same.
  private func sum(before index: Int) -> Double {
    let place = index / Self.stride
    var sum = sums[place]
    for interval in intervals[place * Self.stride..<index] { sum += interval }
    return sum
  }

  /// Which of the intervals end after `start` and not after `end`, both in seconds of the caller's clock. An
  /// interval is so in exactly one of two windows that touch.
  func indices(in window: Window) -> Range<Int> {
    let lower = firstIndex(endingAfter: window.start - start)
    let upper = firstIndex(endingAfter: window.end - start)
    return lower..<max(lower, upper)
  }

  /// The index of the first interval that ends after a time in seconds since ``start``; the number of
  /// intervals where none does.
  func firstIndex(endingAfter time: Double) -> Int {
    let later = (0..<sums.count - 1).firstByHalving { sums[$0] / 1000 > time }
    guard later > 0 else { return 0 }
    var index = (later - 1) * Self.stride
    var sum = sums[later - 1]
    while index < intervals.count {
      sum += intervals[index]
      if sum / 1000 > time { return index }
      index += 1
    }
    return index
  }
}
