extension RRSegment {
  /// The intervals that begin and end between two times, as they are.
  ///
  /// - Parameters:
  ///   - start: As ``start`` counts. An interval that begins at this very instant is in it.
  ///   - end: An interval that ends at this very instant is in it.
  /// - Returns: `nil` where there is none.
  public func part(from start: Double, to end: Double) -> RRSegment? {
    var time = self.start
    var index = 0
    while index < intervals.count, time < start {
      time += intervals[index] / 1000
      index += 1
    }
    let (first, beginning) = (index, time)
    while index < intervals.count, time + intervals[index] / 1000 <= end {
      time += intervals[index] / 1000
      index += 1
    }
    return first < index ? RRSegment(start: beginning, intervals: Array(intervals[first..<index])) : nil
  }
}
