package import Foundation
package import HealthKit
package import HeartRateVariability

/// The heart-rate recovery after the end of an exercise, measured by one source. `hrgate recovery --json` and
/// the page encode it as JSON. The field names are stable.
package struct RecoveryView: Codable, Sendable {
  /// The bundle identifier of the source; absent if no source measured around the end of the exercise.
  package var source: String?
  package var end: Date
  // The following values are in beats per minute.
  package var peak: Double?
  package var afterOneMinute: Double?
  /// `peak` minus `afterOneMinute`, in beats per minute.
  package var recovery: Double?
  /// The reason why the other values are missing.
  package var refused: String?

  package init(_ series: HeartRateSeries, _ source: HKSource?, end: Date) {
    self.source = source?.bundleIdentifier
    self.end = end
    do throws(HeartRateVariability.MeasureError) {
      let recovery = try series.recovery(afterExerciseEndingAt: end.timeIntervalSince1970)
      (peak, afterOneMinute) = (recovery.peak, recovery.afterOneMinute)
      self.recovery = recovery.fall
    } catch {
      refused = error.reason.rawValue
    }
  }

  /// Seconds before and after the end of exercise for which heart rates are read. The time before is long
  /// enough to include a heart rate that is still valid when the measurement starts.
  private static let span = (before: 30 + HeartRateSeries.usualHold, after: 65.0)

  /// Returns the recovery for each source that measured around the end of an exercise, sorted by source name.
  ///
  /// - Parameter sources: A predicate on the sources, or `nil` for all.
  package static func bySource(
    in store: HKHealthStore, after end: Date, from sources: NSPredicate?
  ) async throws -> [(source: HKSource, recovery: RecoveryView)] {
    let near = HKQuery.predicateForSamples(
      withStart: end.addingTimeInterval(-span.before), end: end.addingTimeInterval(span.after), options: [])
    return try await StoredHeartRates.bySource(
      in: store,
      matching: NSCompoundPredicate(andPredicateWithSubpredicates: [near] + [sources].compactMap(\.self))
    ).map { ($0.source, RecoveryView($0.series, $0.source, end: end)) }
  }
}
