/// The histogram of NN intervals in bins of 1/128 s that begin at zero.
enum Histogram {
  /// Milliseconds. A bin's bounds are exact.
  private static let width = 1000.0 / 128
  /// Intervals above ten seconds are gathered in one bin: no heart has two of them, and no memory is spent.
  private static let last: Int32 = 1280

  /// How many intervals the fullest bin has.
  ///
  /// - Parameter intervals: One at least, none negative.
  static func highest(of intervals: [Double]) -> Int {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(last) + 1) { counts in
      intervals.withUnsafeBufferPointer { intervals in
        let (first, last) = bounds(of: intervals)
        for bin in first...last { counts.initializeElement(at: bin, to: 0) }
        for interval in intervals { counts[bin(interval)] += 1 }
        return (first...last).reduce(0) { max($0, Int(counts[$1])) }
      }
    }
  }

  private static func bin(_ interval: Double) -> Int {
    Int(Int32(min(interval / width, Double(last))))
  }

  private static func bounds(of intervals: UnsafeBufferPointer<Double>) -> (first: Int, last: Int) {
    var (least, greatest) = (Double.infinity, 0.0)
    for interval in intervals { (least, greatest) = (min(least, interval), max(greatest, interval)) }
    return (bin(least), bin(greatest))
  }
}
