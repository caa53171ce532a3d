import DerivedSamples
import Foundation
import HealthKit
import HeartRateVariability

/// The intervals between beats over a time, of each source by itself: one by one where they are few, else the
/// range of each step.
struct BeatsAnswer: Codable, Sendable {
  /// Beats without a gap between them.
  struct Segment: Codable, Sendable {
    /// When the first beat was, in milliseconds since 1970.
    var start: Double
    /// Milliseconds.
    var rr: [Double]
    /// One for each interval: 0 for a sound one, else an artefact.
    var marks: [Int]
  }

  struct Recording: Codable, Sendable {
    var source: String
    var name: String
    /// `intervals` or `ranges`.
    var form: String
    var segments: [Segment]?
    // As of a series; artefacts are left out.
    var start: Double?
    var step: Double?
    var low: [Double?]?
    var high: [Double?]?
  }

  var recordings: [Recording]

  static func of(
    _ store: HKHealthStore, during span: DateInterval, source: String?, pixels: Int
  ) async throws -> BeatsAnswer {
    let recordings = try await MarkedBeats.of(store, during: span, source: source)
    return BeatsAnswer(
      recordings: recordings.map { source, recording in
        let count = recording.segments.reduce(0) { $0 + $1.intervals.count }
        return count <= 2 * pixels
          ? Recording(source, recording) : Recording(source, recording, Step(span, pixels: pixels))
      })
  }
}

extension BeatsAnswer.Recording {
  fileprivate init(_ source: HKSource, _ recording: MarkedRecording) {
    (self.source, name, form) = (source.bundleIdentifier, source.name, "intervals")
    segments = recording.segments.map { segment in
      BeatsAnswer.Segment(
        start: segment.start * 1000, rr: segment.intervals, marks: segment.marks.map { Int($0.rawValue) })
    }
  }

  fileprivate init(_ source: HKSource, _ recording: MarkedRecording, _ step: Step) {
    (self.source, name, form) = (source.bundleIdentifier, source.name, "ranges")
    var low = [Double?](repeating: nil, count: step.count)
    var high = low
    for segment in recording.segments {
      for index in segment.intervals.indices where segment.marks[index].isNN {
        let time = Date(timeIntervalSince1970: segment.start + segment.ends[index])
        guard let place = step.place(of: time) else { continue }
        let interval = segment.intervals[index]
        low[place] = min(low[place] ?? interval, interval)
        high[place] = max(high[place] ?? interval, interval)
      }
    }
    (start, self.step) = (step.start.milliseconds, Double(step.seconds) * 1000)
    (self.low, self.high) = (low, high)
  }
}

/// The beats of a store with what is known of them, as `hrgate hrv` finds them.
enum MarkedBeats {
  /// Those of each source by itself, in order of the sources' names. Only what begins and ends in the time.
  static func of(
    _ store: HKHealthStore, during span: DateInterval, source: String?
  ) async throws -> [(source: HKSource, recording: MarkedRecording)] {
    let selection = Selection(from: span.start, to: span.end, source: source).predicate([])
    return try await StoredBeats.bySource(in: store, matching: selection).compactMap { source, segments in
      let within = segments.compactMap {
        $0.part(from: span.start.timeIntervalSince1970, to: span.end.timeIntervalSince1970)
      }
      return within.isEmpty ? nil : (source, Cleaning.usual.mark(within))
    }
  }
}
