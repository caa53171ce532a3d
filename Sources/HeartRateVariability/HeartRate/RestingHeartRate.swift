/// The resting heart rate of a day: the lowest mean over five minutes.
///
/// The rule: windows of five minutes begin at each whole minute of the day. One in which the rate is known
/// for less than four fifths of the time does not count, nor one that touches an excluded time. The lowest
/// mean of the others is the resting heart rate; the earliest of equals. Sleep counts, unless the caller
/// excludes it: the figure is then higher. Apple describes its own as an estimate of waking rest, by a rule
/// that it does not tell.
public struct RestingHeartRate: Hashable, Sendable {
  /// Over the window, weighted by time.
  public let beatsPerMinute: Double
  /// The five minutes that it is of.
  public let window: Window
  /// How many windows counted.
  public let windows: Int
}

extension HeartRateSeries {
  /// The resting heart rate by the rule of ``RestingHeartRate``.
  ///
  /// - Parameters:
  ///   - day: At most two days long.
  ///   - excluded: Times of effort, and after it, or of sleep, in any order.
  /// - Throws: `noHeartRate` where no window counts, `windowTooLong`.
  public func restingHeartRate(
    in day: Window, excluding excluded: [Window] = []
  ) throws(Refusal) -> RestingHeartRate {
    var minutes = try HeartRateMinutes(of: day)
    minutes.replace(minutes.indices, by: self)
    return try minutes.restingHeartRate(excluding: excluded)
  }
}
