/// RR intervals without a gap, each marked as normal or as a kind of artifact.
public struct MarkedSegment: Hashable, Sendable {
  /// The time of the first beat, as in ``RRSegment/start``.
  public let start: Double
  /// Intervals in milliseconds, oldest first.
  public let intervals: [Double]
  /// One mark for each interval.
  public let marks: [IntervalMark]
  /// Whether all marks are `normal`. This is so for most segments.
  let isNormal: Bool
  /// The sum in milliseconds of the intervals before every 32nd interval, and of all intervals at the end.
  /// Other sums are computed from the nearest stored one: storing all of them would double memory use.
  private let sums: [Double]

  private static let stride = 32

  /// Creates a segment. The longer of the two arrays is truncated.
  init(start: Double, intervals: [Double], marks: [IntervalMark]) {
    let count = min(intervals.count, marks.count)
    let marks = marks.count == count ? marks : Array(marks.prefix(count))
    self.init(
      start: start, intervals: intervals.count == count ? intervals : Array(intervals.prefix(count)),
      marks: marks, isNormal: marks.allSatisfy { $0 == .normal })
  }

  /// Creates a segment.
  ///
  /// - Parameters:
  ///   - marks: One mark for each interval.
  ///   - isNormal: Whether all marks are `normal`.
  init(start: Double, intervals: [Double], marks: [IntervalMark], isNormal: Bool) {
    self.start = start
    self.intervals = intervals
    self.marks = marks
    self.isNormal = isNormal
    sums = Self.sums(of: intervals)
  }

  /// Returns the stored sums in milliseconds. Sums are exact if all intervals are multiples of 1/1024 s.
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

  /// The end of each interval in seconds since ``start``. It is computed on each access.
  public var ends: [Double] {
    var ends: [Double] = []
    ends.reserveCapacity(intervals.count)
    forEachEnd(in: intervals.indices) { ends.append($1) }
    return ends
  }

  /// Returns the beginning of an interval in seconds since ``start``. If the index is the number of
  /// intervals, returns the end of the last one.
  func beginning(of index: Int) -> Double { sum(before: index) / 1000 }

  /// Returns the end of an interval in seconds since ``start``.
  func end(of index: Int) -> Double { beginning(of: index + 1) }

  /// Calls a function with the index of each interval in a range and its end in seconds since ``start``.
  @inline(__always) func forEachEnd(in range: Range<Int>, _ take: (Int, Double) -> Void) {
    var sum = sum(before: range.lowerBound)
    for index in range {
      sum += intervals[index]
      take(index, sum / 1000)
    }
  }

  /// Returns the sum of the intervals before an index, in milliseconds. Adds them in a fixed order, so that
  /// rounding always gives the same result.
  private func sum(before index: Int) -> Double {
    let place = index / Self.stride
    var sum = sums[place]
    for interval in intervals[place * Self.stride..<index] { sum += interval }
    return sum
  }

  /// Returns the indices of the intervals that end in a window. An interval is never in two adjacent windows.
  func indices(in window: Window) -> Range<Int> {
    let lower = firstIndex(endingAfter: window.start - start)
    let upper = firstIndex(endingAfter: window.end - start)
    return lower..<max(lower, upper)
  }

  /// Returns the index of the first interval that ends after a time in seconds since ``start``, or the number
  /// of intervals if all end earlier.
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

extension Range<Int> {
  /// Returns the first number in the range for which a condition holds, or the upper bound if it never holds.
  /// Uses binary search: if the condition holds for a number, it must hold for all greater ones.
  @inline(__always) func firstByHalving(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
