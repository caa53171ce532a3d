package import Foundation
package import HealthKit
package import HeartRateVariability

/// The heart-rate recovery after one end of exercise, of one source, as `hrgate recovery --json` prints it
/// and the page gets it. The field names are stable.
package struct RecoveryView: Codable, Sendable {
  /// The source; absent if no source has a heart rate at that time.
  package var source: String?
  package var end: Date
  // Beats per minute.
  package var peak: Double?
  package var afterOneMinute: Double?
  /// Difference in beats per minute.
  package var recovery: Double?
  /// The reason for missing values.
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

  /// Seconds of heart rates to read before and after the end of exercise: those the definition needs, and
  /// earlier ones that are still valid.
  private static let span = (before: 30 + HeartRateSeries.usualHold, after: 65.0)

  /// Returns the recovery of each source with heart rates around the end of an exercise, sorted by name.
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
