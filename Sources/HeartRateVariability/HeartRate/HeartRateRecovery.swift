/// The decrease of the heart rate in the first minute after exercise (Cole 1999).
///
/// The value is the peak minus the mean heart rate from 55 to 65 s after the end of the exercise. The peak is
/// the highest reading from 30 s before the end to 10 s after it, because the heart rate lags behind the
/// effort. The value is only meaningful if the exercise ended abruptly, which this type cannot check.
///
/// ```swift
/// let recovery = try heartRates.recovery(afterExerciseEndingAt: end)
/// print(recovery.fall)
/// ```
public struct HeartRateRecovery: Hashable, Sendable {
  /// The highest heart rate around the end of the exercise in beats per minute.
  public let peak: Double
  /// The mean heart rate from 55 to 65 s after the end in beats per minute.
  public let afterOneMinute: Double

  /// The decrease of the heart rate in beats per minute, above 0.
  public var fall: Double { peak - afterOneMinute }
}

extension HeartRateSeries {
  /// Returns the decrease of the heart rate after exercise, as ``HeartRateRecovery`` defines it.
  ///
  /// - Parameter end: The end of the exercise in seconds, with the same origin as the times of the readings.
  /// - Throws: `noHeartRate` if there is no reading around the end, or if the heart rate is known for less
  ///   than five of the ten seconds a minute later. `noRecovery` if it did not decrease.
  public func recovery(afterExerciseEndingAt end: Double) throws(MeasureError) -> HeartRateRecovery {
    guard let later = Window(start: end + 55, end: end + 65) else {
      throw MeasureError(.noHeartRate, needed: 5)
    }
    var peak: Double?
    for reading in readings[firstIndex(after: end - 30)...] {
      guard reading.time <= end + 10 else { break }
      peak = max(peak ?? 0, reading.beatsPerMinute)
    }
    guard let peak else { throw MeasureError(.noHeartRate, found: 0, needed: 1) }
    let known = knownTime(in: later)
    guard known >= 5, let mean = mean(in: later) else {
      throw MeasureError(.noHeartRate, found: known, needed: 5)
    }
    // Ignore a difference that is merely a rounding error.
    guard peak - mean > 1e-9 * peak else { throw MeasureError(.noRecovery, found: peak - mean) }
    return HeartRateRecovery(peak: peak, afterOneMinute: mean)
  }
}
