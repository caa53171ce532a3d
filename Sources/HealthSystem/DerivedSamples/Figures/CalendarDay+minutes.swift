import HeartRateVariability

extension CalendarDay {
  /// Its whole minutes, by their numbers, as `HeartRateMinutes` has them.
  var minutes: Range<Int> { 0..<max(Int((end - start) / HeartRateMinutes.minute), 0) }

  /// The whole minutes that a time touches.
  ///
  /// - Parameters:
  ///   - from: Seconds since 1970.
  ///   - to: Not before; it may be as late as numbers go.
  func minutes(from: Double, to: Double) -> Range<Int> {
    let (all, minute) = (minutes, HeartRateMinutes.minute)
    let first = min(max(((from - start) / minute).rounded(.down), 0), Double(all.upperBound))
    let last = min(max(((to - start) / minute).rounded(.down) + 1, first), Double(all.upperBound))
    return Int(first)..<Int(last)
  }

  /// From when to when heart rates are that say anything of some of its minutes, in seconds since 1970: one
  /// from before may still hold.
  func times(of minutes: Range<Int>) -> (from: Double, to: Double) {
    let begin = start + Double(minutes.lowerBound) * HeartRateMinutes.minute
    // A second more, so that no rounding of a sum leaves one out.
    return (begin - Self.hold - 1, start + Double(minutes.upperBound) * HeartRateMinutes.minute)
  }
}
