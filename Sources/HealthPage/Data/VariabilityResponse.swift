import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

/// Heart rate variability in consecutive windows.
struct VariabilityResponse: Codable, Sendable {
  /// The windows, sorted by source name, then by time.
  var windows: [VariabilityView]

  /// Maximum number of windows, because a chart cannot show more.
  private static let most = 600

  static func of(
    _ store: HKHealthStore, during span: DateInterval, source: String?, every seconds: Int
  ) async throws -> VariabilityResponse {
    guard (10...86_400).contains(seconds) else {
      throw PageError.argument("A window must be 10 seconds to one day long.")
    }
    let plan = WindowPlan(duration: Double(seconds), origin: span.start.timeIntervalSince1970)
    var windows: [VariabilityView] = []
    let length = (part / Double(seconds)).rounded(.down) * Double(seconds)
    for part in try await BeatParts.of(span, length: length, in: store, source: source) {
      for beats in try await beats(of: store, during: part, within: span, source: source) {
        // As in `hrgate hrv`, detect artifacts in the whole recording before selecting the windows in the
        // range.
        let recording = Cleaning.usual.mark(beats.segments)
        let wanted = plan.windows(of: recording).filter {
          $0.start >= part.start.timeIntervalSince1970 && $0.start < part.end.timeIntervalSince1970
            && $0.end <= span.end.timeIntervalSince1970
        }
        guard windows.count + wanted.count <= most else {
          throw PageError.argument(
            "Too many windows (more than 600). Choose longer windows or a shorter range.")
        }
        windows += wanted.map {
          VariabilityView(
            $0, recording.nn(in: $0), of: recording, VariabilityAnalysis(),
            source: beats.source.bundleIdentifier, name: beats.source.name)
        }
      }
    }
    // Each part's windows are in order, but all of them together are not.
    let ordered = windows.sorted {
      ($0.name ?? "", $0.source, $0.start) < ($1.name ?? "", $1.source, $1.start)
    }
    return VariabilityResponse(windows: ordered)
  }

  /// Length in seconds of the parts whose beats are read at once, rounded down to whole windows. It keeps
  /// memory use independent of the requested range.
  static let part = 2 * 86_400.0
  /// Number of seconds before and after each part for which beats are also read, because artifact detection
  /// compares neighboring beats.
  private static let around = 600.0

  private static func beats(
    of store: HKHealthStore, during part: DateInterval, within span: DateInterval, source: String?
  ) async throws -> [StoredBeats] {
    // If the range is a single part, read whole series, because beats outside the range help to detect
    // artifacts inside it.
    guard span.duration > Self.part else {
      return try await StoredBeats.bySource(
        in: store, matching: Selection(from: span.start, to: span.end, source: source).predicate([]))
    }
    let looked = Selection(from: part.start - around, to: part.end + around, source: source)
    return try await StoredBeats.bySource(in: store, matching: looked.predicate([]))
  }
}
