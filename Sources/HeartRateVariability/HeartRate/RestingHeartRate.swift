/// The resting heart rate of a day: the lowest mean over five minutes.
///
/// A window of five minutes begins at each minute of the day. A window is ignored if the heart rate is known
/// for less than four fifths of it, or if it touches an excluded time. The lowest mean of the other windows
/// is the resting heart rate. If several windows have the same mean, the earliest one is used.
///
/// Sleep counts unless the caller excludes it. Excluding it leads to a higher result. Apple describes its
/// value as an estimate for rest while awake, but does not publish the algorithm.
///
/// ```swift
/// let resting = try heartRates.restingHeartRate(in: day, excluding: workouts)
/// print(resting.beatsPerMinute)
/// ```
public struct RestingHeartRate: Hashable, Sendable {
  /// The mean heart rate of the window in beats per minute, weighted by time.
  public let beatsPerMinute: Double
  /// The window of five minutes with the lowest mean.
  public let window: Window
  /// The number of windows whose means were compared.
  public let windows: Int
}

extension HeartRateSeries {
  /// Returns the resting heart rate of a day, as ``RestingHeartRate`` defines it.
  ///
  /// - Parameters:
  ///   - day: A window of at most two days.
  ///   - excluded: Times of exercise, recovery or sleep, in any order.
  /// - Throws: `noHeartRate` if no window qualifies, `windowTooLong`.
  public func restingHeartRate(
    in day: Window, excluding excluded: [Window] = []
  ) throws(MeasureError) -> RestingHeartRate {
    var minutes = try HeartRateMinutes(of: day)
    minutes.replace(minutes.indices, by: self)
    return try minutes.restingHeartRate(excluding: excluded)
  }
}
