/// How far the heart rate fell in the first minute after exercise (Cole 1999).
///
/// The rule: the highest reading from thirty seconds before the marked end to ten seconds after it, because
/// the rate lags behind the effort, less the mean from 55 to 65 s after the end. It means something only
/// where the exercise ended at once; that the caller knows, and no rule here can guess.
public struct HeartRateRecovery: Hashable, Sendable {
  /// The highest rate about the end, in beats per minute.
  public let peak: Double
  /// The mean about a minute later, in beats per minute.
  public let afterOneMinute: Double

  /// The fall, in beats per minute: above zero.
  public var fall: Double { peak - afterOneMinute }
}

extension HeartRateSeries {
  /// The recovery by the rule of ``HeartRateRecovery``.
  ///
  /// - Parameter end: When the exercise ended, in seconds as the readings' times.
  /// - Throws: `noHeartRate` where there is no reading about the end, or the rate is known for less than five
  ///   of the ten seconds a minute later; `noRecovery` where it did not fall.
  public func recovery(afterExerciseEndingAt end: Double) throws(Refusal) -> HeartRateRecovery {
    guard let later = Window(start: end + 55, end: end + 65) else { throw Refusal(.noHeartRate, needed: 5) }
    var peak: Double?
    for reading in readings[firstIndex(after: end - 30)...] {
      guard reading.time <= end + 10 else { break }
      peak = max(peak ?? 0, reading.beatsPerMinute)
    }
    guard let peak else { throw Refusal(.noHeartRate, found: 0, needed: 1) }
    let known = knownTime(in: later)
    guard known >= 5, let mean = mean(in: later) else {
      throw Refusal(.noHeartRate, found: known, needed: 5)
    }
    // What rounding leaves of a rate that stays the same is no fall.
    guard peak - mean > 1e-9 * peak else { throw Refusal(.noRecovery, found: peak - mean) }
    return HeartRateRecovery(peak: peak, afterOneMinute: mean)
  }
}
