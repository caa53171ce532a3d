package import Foundation
package import HealthKit
package import HeartRateVariability

/// The beats of a store as segments, in seconds since 1970.
package enum StoredBeats {
  /// Those of each source by itself, in order of the sources' names: two straps on one heart would count each
  /// beat twice.
  package static func bySource(
    in store: HKHealthStore, matching predicate: NSPredicate?
  ) async throws -> [(source: HKSource, segments: [RRSegment])] {
    let series = HKSamplePredicate<HKSample>.sample(type: HKSeriesType.heartbeat(), predicate: predicate)
    let parts = try await store.reduceSamples(into: [HKSource: [RRSegment]](), [series]) { parts, sample in
      guard let series = sample as? HKHeartbeatSeriesSample, let segments = series.segments else { return }
      parts[series.sourceRevision.source, default: []] += segments
    }
    // A stretch is stored in parts of some minutes.
    return parts.map { (source: $0.key, segments: RRSegment.joined($0.value)) }
      .sorted { ($0.source.name, $0.source.bundleIdentifier) < ($1.source.name, $1.source.bundleIdentifier) }
  }
}

extension MarkedRecording {
  /// From the first beat to the last, as far as they are between two times; `nil` where none is.
  package func extent(from: TimeInterval?, to: TimeInterval?) -> Window? {
    guard let first = segments.first, let last = segments.map({ $0.start + $0.duration }).max() else {
      return nil
    }
    return Window(start: max(first.start, from ?? first.start), end: min(last, to ?? last))
  }
}
