import Bluetooth
import GATT

/// What no heart does. It is kept as the strap sent it, and counted: a strap may be broken, or be a program's
/// that tries things.
enum Plausibility {
  /// Beats per minute; the fastest hearts that were recorded are at the upper end.
  static let heartRates: ClosedRange<UInt16> = 6...300
  /// The intervals of the same rates, in ticks of 1/1024 s.
  static let intervals: ClosedRange<UInt16> = 204...10_240

  /// The names by which the tally counts.
  static let heartRate = "implausibleHeartRate"
  static let interval = "implausibleInterval"

  /// Calls once for each value of a measurement that is implausible.
  @inline(__always)
  static func check(_ measurement: HeartRateMeasurement, _ report: (String) -> Void) {
    if !heartRates.contains(measurement.heartRate) { report(heartRate) }
    measurement.rrTicks.withSpan { ticks in
      for index in ticks.indices where !intervals.contains(ticks[index]) { report(interval) }
    }
  }
}
