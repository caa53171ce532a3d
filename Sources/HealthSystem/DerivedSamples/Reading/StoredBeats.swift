package import Foundation
package import HealthKit
package import HeartRateVariability

/// The beats of one source in a store. Times are in seconds since 1970.
///
/// All commands read beats through this type, so that none counts a beat twice.
package struct StoredBeats: Sendable {
  package let source: HKSource
  /// The RR intervals of all series, merged so that each beat occurs once.
  package let merged: MergedSegments

  /// The merged RR intervals, as segments without gaps.
  package var segments: [RRSegment] { merged.segments }

  /// Returns the beats of each source, sorted by source name. Sources are kept apart, because two straps on
  /// the same person record each beat twice.
  package static func bySource(
    in store: HKHealthStore, matching predicate: NSPredicate?
  ) async throws -> [StoredBeats] {
    let series = HKSamplePredicate<HKSample>.sample(type: HKSeriesType.heartbeat(), predicate: predicate)
    let parts = try await store.reduceSamples(into: [HKSource: [RRSegment]](), [series]) { parts, sample in
      guard let series = sample as? HKHeartbeatSeriesSample, let segments = series.segments else { return }
      parts[series.sourceRevision.source, default: []] += segments
    }
    // A recording is stored as several series of a few minutes each. Merge them.
    return parts.map { StoredBeats(source: $0.key, merged: MergedSegments($0.value)) }
      .sorted { ($0.source.name, $0.source.bundleIdentifier) < ($1.source.name, $1.source.bundleIdentifier) }
  }
}

extension MarkedRecording {
  /// Returns the period from the first beat to the last, limited to the given times in seconds since 1970.
  /// Returns `nil` if there is no beat.
  package func extent(from: TimeInterval?, to: TimeInterval?) -> Window? {
    guard let first = segments.first, let last = segments.map({ $0.start + $0.duration }).max() else {
      return nil
    }
    return Window(start: max(first.start, from ?? first.start), end: min(last, to ?? last))
  }
}
