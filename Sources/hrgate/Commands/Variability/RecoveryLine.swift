import Foundation
import HealthDataSync
import HealthKit
import HeartRateVariability

/// One end of exercise and one source, as `hrgate recovery --json` prints it. The field names are stable.
struct RecoveryLine: Encodable {
  /// The source; absent if no source has a heart rate at that time.
  var source: String?
  var end: String
  // Beats per minute.
  var peak: Double?
  var afterOneMinute: Double?
  /// Difference in beats per minute.
  var recovery: Double?
  /// The reason for missing values.
  var refused: String?

  init(_ series: HeartRateSeries, _ source: HKSource?, end: Date) {
    self.source = source?.bundleIdentifier
    self.end = Timestamp.text(end)
    do throws(HeartRateVariability.MeasureError) {
      let recovery = try series.recovery(afterExerciseEndingAt: end.timeIntervalSince1970)
      (peak, afterOneMinute) = (recovery.peak, recovery.afterOneMinute)
      self.recovery = recovery.fall
    } catch {
      refused = error.reason.rawValue
    }
  }

  /// Returns the result as one line of text.
  func text(_ source: HKSource?) -> String {
    let name = source.map { "  \($0.name.plain)  \($0.bundleIdentifier.plain)" } ?? ""
    guard let peak, let afterOneMinute, let recovery else {
      return "\(end)\(name)  refused: \(refused ?? "")"
    }
    let figures = [recovery, peak, afterOneMinute].map { "\(($0 * 10).rounded() / 10)" }
    return "\(end)\(name)  \(figures[0]) beats in one minute, from \(figures[1]) to \(figures[2])"
  }
}
