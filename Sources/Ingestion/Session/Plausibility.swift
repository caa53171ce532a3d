import Bluetooth

/// The limits of plausible values. A heart rate outside them is rejected. An RR interval outside them is
/// counted but still stored, because the times of the other beats depend on it.
enum Plausibility {
  /// Heart rates in beats per minute. The upper limit is the fastest heart rate on record.
  static let heartRates: ClosedRange<UInt16> = 6...300
  /// RR intervals that correspond to these heart rates, in ticks of 1/1024 s.
  static let intervals: ClosedRange<UInt16> = 204...10_240

  /// The name under which the tally counts implausible intervals.
  static let interval = "implausibleInterval"
  /// The name under which the tally counts intervals whose sum exceeds the elapsed time.
  static let surplus = "moreHeartbeatThanTime"

  /// Returns whether a measurement has a heart rate within the limits.
  static func hasHeartRate(_ measurement: HeartRateMeasurement) -> Bool {
    measurement.hasReading && heartRates.contains(measurement.heartRate)
  }

  /// Returns whether a measurement has a plausible heart rate and RR intervals that match it.
  static func isMeasured(_ measurement: HeartRateMeasurement) -> Bool {
    guard hasHeartRate(measurement) else { return false }
    return measurement.rrTicks.withSpan { ticks in
      var sum = 0
      for index in ticks.indices {
        guard intervals.contains(ticks[index]) else { return false }
        sum += Int(ticks[index])
      }
      // The heart rate is an average over several seconds, during which it does not double or halve.
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
