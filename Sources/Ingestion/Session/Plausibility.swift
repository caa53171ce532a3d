import Bluetooth

/// The limits of plausible values. A heart rate outside the limits is rejected. An interval outside them is
/// stored as sent and counted, because the times of the other beats depend on it.
enum Plausibility {
  /// Beats per minute. The upper limit is that of the fastest recorded hearts.
  static let heartRates: ClosedRange<UInt16> = 6...300
  /// The intervals of the same rates, in ticks of 1/1024 s.
  static let intervals: ClosedRange<UInt16> = 204...10_240

  /// The name under which the tally counts implausible intervals.
  static let interval = "implausibleInterval"
  /// The name under which the tally counts intervals that exceed the elapsed time.
  static let surplus = "moreHeartbeatThanTime"

  /// Returns whether the heart rate of a measurement is a reading within the limits.
  static func hasHeartRate(_ measurement: HeartRateMeasurement) -> Bool {
    measurement.hasReading && heartRates.contains(measurement.heartRate)
  }

  /// Returns whether a measurement has a heart rate and intervals that match it.
  static func isMeasured(_ measurement: HeartRateMeasurement) -> Bool {
    guard hasHeartRate(measurement) else { return false }
    return measurement.rrTicks.withSpan { ticks in
      var sum = 0
      for index in ticks.indices {
        guard intervals.contains(ticks[index]) else { return false }
        sum += Int(ticks[index])
      }
      // A strap averages its rate over some seconds, in which a heart rate does not double or halve.
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
