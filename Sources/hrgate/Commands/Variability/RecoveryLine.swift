import Foundation
import HealthDataSync
import HealthKit
import HeartRateVariability

/// What `hrgate recovery --json` prints for an end of exercise and a source. The names are a promise.
struct RecoveryLine: Encodable {
  /// Absent where no source has a heart rate of that time.
  var source: String?
  var end: String
  // Beats per minute.
  var peak: Double?
  var afterOneMinute: Double?
  /// Beats.
  var recovery: Double?
  /// In the place of the figures.
  var refused: String?

  init(_ series: HeartRateSeries, _ source: HKSource?, end: Date) {
    self.source = source?.bundleIdentifier
    self.end = Timestamp.text(end)
    do throws(HeartRateVariability.Refusal) {
      let recovery = try series.recovery(afterExerciseEndingAt: end.timeIntervalSince1970)
      (peak, afterOneMinute) = (recovery.peak, recovery.afterOneMinute)
      self.recovery = recovery.fall
    } catch {
      refused = error.reason.rawValue
    }
  }

  /// A line for a person.
  func text(_ source: HKSource?) -> String {
    let name = source.map { "  \($0.name.plain)  \($0.bundleIdentifier.plain)" } ?? ""
    guard let peak, let afterOneMinute, let recovery else {
      return "\(end)\(name)  refused: \(refused ?? "")"
    }
    let figures = [recovery, peak, afterOneMinute].map { "\(($0 * 10).rounded() / 10)" }
    return "\(end)\(name)  \(figures[0]) beats in one minute, from \(figures[1]) to \(figures[2])"
  }
}
