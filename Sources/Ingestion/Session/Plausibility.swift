import Bluetooth

/// Values that no heart produces. A heart rate outside the bounds is rejected; an interval outside them is
/// stored as it was sent, and counted, because the times of the other beats depend on it.
enum Plausibility {
  /// Beats per minute; the fastest hearts that were recorded are at the upper end.
  static let heartRates: ClosedRange<UInt16> = 6...300
  /// The intervals of the same rates, in ticks of 1/1024 s.
  static let intervals: ClosedRange<UInt16> = 204...10_240

  /// The name under which the tally counts implausible intervals.
  static let interval = "implausibleInterval"
  /// Intervals that add up to more than the time that has passed.
  static let surplus = "moreHeartbeatThanTime"

  /// Whether the heart rate of a measurement is a reading within the bounds.
  static func hasHeartRate(_ measurement: HeartRateMeasurement) -> Bool {
    measurement.hasReading && heartRates.contains(measurement.heartRate)
  }

  /// Whether a measurement has a heart rate, and intervals that are about those of this rate.
  static func isMeasured(_ measurement: HeartRateMeasurement) -> Bool {
    guard hasHeartRate(measurement) else { return false }
    return measurement.rrTicks.withSpan { ticks in
      var sum = 0
      for index in ticks.indices {
        guard intervals.contains(ticks[index]) else { return false }
        sum += Int(ticks[index])
      }
      // A strap averages its rate over some seconds, in which a heart does not double or halve it.
      let rate = sum == 0 ? 0 : ticks.count * 60 * 1024 / sum
      return (Int(measurement.heartRate) / 2...Int(measurement.heartRate) * 2).contains(rate)
    }
  }

  /// Calls `report` once for each implausible interval of a measurement.
  @inline(__always)
  static func check(_ measurement: HeartRateMeasurement, _ report: (String) -> Void) {
    measurement.rrTicks.withSpan { ticks in
      for index in ticks.indices where !intervals.contains(ticks[index]) { report(interval) }
    }
  }
}
