import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

/// The RR intervals of a time range, by source. If there are few, it contains every interval, otherwise the
/// minimum and maximum in each step of the chart. Times are in milliseconds since 1970.
struct BeatsResponse: Codable, Sendable {
  /// Consecutive intervals without a gap.
  struct Segment: Codable, Sendable {
    /// The time of the first beat in milliseconds since 1970.
    var start: Double
    /// RR intervals in milliseconds.
    var rr: [Double]
    /// For each interval, 0 if it is normal, otherwise the kind of artifact (`IntervalMark`).
    var marks: [Int]
  }

  struct Recording: Codable, Sendable {
    var source: String
    var name: String
    /// `intervals` if every interval is included, otherwise `ranges`.
    var form: String
    var segments: [Segment]?
    // The minimum and maximum interval in each step of the chart, without artifacts.
    var start: Double?
    var step: Double?
    var low: [Double?]?
    var high: [Double?]?
  }

  var recordings: [Recording]

  /// Length in seconds of the parts whose beats are read at once. It keeps memory use independent of the
  /// requested range.
  static let part = 86_400.0
  /// Number of seconds before and after each part for which beats are also read, because artifact detection
  /// compares neighboring beats.
  private static let around = 600.0

  static func of(
    _ store: HKHealthStore, during span: DateInterval, source: String?, pixels: Int
  ) async throws -> BeatsResponse {
    let step = Step(span, pixels: pixels)
    var drawn: [HKSource: Drawn] = [:]
    for part in try await BeatParts.of(span, length: part, in: store, source: source) {
      let looked = DateInterval(
        start: max(part.start - around, span.start), end: min(part.end + around, span.end))
      for (source, recording) in try await MarkedBeats.of(store, during: looked, source: source) {
        drawn[source, default: Drawn(step)].add(recording, in: part, step)
      }
    }
    var recordings: [Recording] = []
    for (source, drawn) in drawn {
      guard drawn.count <= 2 * pixels else {
        recordings.append(Recording(source, drawn, step))
        continue
      }
      // There are few intervals, so return all of them. Detect artifacts in all of them together, as `hrgate
      // hrv` does.
      let few = try await MarkedBeats.of(store, during: span, source: source.bundleIdentifier)
      recordings += few.filter { $0.source == source }.map { Recording($0.source, $0.recording) }
    }
    return BeatsResponse(
      recordings: recordings.sorted { ($0.name, $0.source) < ($1.name, $1.source) })
  }

  /// The minimum and maximum interval in each step of the chart.
  fileprivate struct Drawn {
    var low: [Double?]
    var high: [Double?]
    var count = 0

    init(_ step: Step) {
      low = [Double?](repeating: nil, count: step.count)
      high = low
    }

    /// Adds the intervals that end in a part of the range. An interval that ends exactly at the start of the
    /// part belongs to the previous part.
    mutating func add(_ recording: MarkedRecording, in part: DateInterval, _ step: Step) {
      for segment in recording.segments {
        for index in segment.intervals.indices {
          let time = Date(timeIntervalSince1970: segment.start + segment.ends[index])
          guard time > part.start, time <= part.end else { continue }
          count += 1
          guard segment.marks[index].isNN, let place = step.place(of: time) else { continue }
          let interval = segment.intervals[index]
          low[place] = min(low[place] ?? interval, interval)
          high[place] = max(high[place] ?? interval, interval)
        }
      }
    }
  }
}

extension BeatsResponse.Recording {
  fileprivate init(_ source: HKSource, _ recording: MarkedRecording) {
    (self.source, name, form) = (source.bundleIdentifier, source.name, "intervals")
    segments = recording.segments.map { segment in
      BeatsResponse.Segment(
        start: segment.start * 1000, rr: segment.intervals, marks: segment.marks.map { Int($0.rawValue) })
    }
  }

  fileprivate init(_ source: HKSource, _ drawn: BeatsResponse.Drawn, _ step: Step) {
    (self.source, name, form) = (source.bundleIdentifier, source.name, "ranges")
    (start, self.step) = (step.start.milliseconds, Double(step.seconds) * 1000)
    (low, high) = (drawn.low, drawn.high)
  }
}

/// Divides a time range into parts whose beats are read separately.
enum BeatParts {
  /// Returns parts that cover all heartbeat series in the range.
  /// - Parameter length: The length of a part in seconds. The last part extends to the end of the range,
  ///   because the extent of the series ends where the last series starts, not where it ends.
  static func of(
    _ span: DateInterval, length: Double, in store: HKHealthStore, source: String?
  ) async throws -> [DateInterval] {
    let beats = Selection(from: span.start, to: span.end, source: source).predicate([])
    guard let extent = try await store.extent(of: HKSeriesType.heartbeat(), beats) else { return [] }
    let before = max(0, extent.start.timeIntervalSince(span.start))
    var start = span.start + (before / length).rounded(.down) * length
    var parts: [DateInterval] = []
    while start < span.end {
      let next = min(start + length, span.end)
      let end = next > extent.end ? span.end : next
      parts.append(DateInterval(start: start, end: end))
      start = end
    }
    return parts
  }
}

/// The beats of one source with their artifacts marked, as `hrgate hrv` computes them.
enum MarkedBeats {
  /// Returns the beats of each source in a time range, sorted by source name.
  static func of(
    _ store: HKHealthStore, during span: DateInterval, source: String?
  ) async throws -> [(source: HKSource, recording: MarkedRecording)] {
    let selection = Selection(from: span.start, to: span.end, source: source).predicate([])
    return try await StoredBeats.bySource(in: store, matching: selection).compactMap { beats in
      let within = beats.segments.compactMap {
        $0.part(from: span.start.timeIntervalSince1970, to: span.end.timeIntervalSince1970)
      }
      return within.isEmpty ? nil : (beats.source, Cleaning.usual.mark(within))
    }
  }
}
