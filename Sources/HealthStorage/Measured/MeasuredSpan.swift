/// The range of start times, the range of end times and the longest duration of a group of quantities.
struct MeasuredSpan {
  let starts: ClosedRange<Int64>
  let ends: ClosedRange<Int64>
  let longest: Int64

  /// - Parameter quantities: At least one quantity.
  init(_ quantities: MeasuredQuantities) {
    var (first, last) = (Int64.max, Int64.min)
    var (firstEnd, lastEnd, longest) = (Int64.max, Int64.min, Int64(0))
    for index in quantities.starts.indices {
      let (start, duration) = (quantities.starts[index], quantities.duration(at: index))
      (first, last) = (min(first, start), max(last, start))
      (firstEnd, lastEnd) = (min(firstEnd, start + duration), max(lastEnd, start + duration))
      longest = max(longest, duration)
    }
    starts = first...last
    ends = firstEnd...lastEnd
    self.longest = longest
  }
}
