import Foundation
import HealthKit
import HeartRateVariability

/// A window of five minutes, for which at most one SDNN is derived. Windows start at multiples of five
/// minutes since 1970, as in `WindowPlan.fiveMinutes`.
struct VariabilityWindow: Hashable {
  static let duration = 300.0
  /// Beats up to this many seconds before and after the window affect its artifact detection. A threshold
  /// uses 46 intervals on either side and a median 5 more, each of at most two seconds.
  static let margin = 120.0

  let number: Int

  var start: Double { Double(number) * Self.duration }
  var end: Double { start + Self.duration }
  var syncIdentifier: String { "\(DerivedSource.bundleIdentifier)/sdnn/\(Int64(start))" }

  /// Returns the numbers of the windows whose SDNN depends on beats in a period, given in seconds since 1970.
  static func numbers(from start: Double, to end: Double) -> ClosedRange<Int> {
    let first = ((start - margin) / duration).rounded(.down) - 1
    let last = ((end + margin) / duration).rounded(.down)
    return Int(first)...Int(max(first, last))
  }

  /// Returns the SDNN of the source with the highest coverage of the window, or nil if no source has enough
  /// clean beats.
  ///
  /// Only beats in the window and its margin are used. The result therefore does not depend on when, in what
  /// order or in how many series the beats arrived.
  func figure(of parts: [BeatPart]) -> DerivedFigure? {
    let near = parts.filter { $0.start < end + Self.margin && $0.end > start - Self.margin }
    let sources = Dictionary(grouping: near, by: \.source)
    let candidates = sources.compactMap { source, parts in Candidate(self, of: parts, source) }
    return candidates.min { $0.comesBefore($1) }?.figure(self)
  }
}

/// The SDNN of one source for a window.
private struct Candidate {
  let source: HKSource
  let series: NNSeries
  let sdnn: Double
  let device: HKDevice?
  let sensorLocation: NSNumber?

  init?(_ window: VariabilityWindow, of parts: [BeatPart], _ source: HKSource) {
    guard let span = Window(start: window.start, end: window.end) else { return nil }
    let margin = VariabilityWindow.margin
    let segments = MergedSegments(parts.flatMap(\.segments)).segments.compactMap {
      $0.part(from: window.start - margin, to: window.end + margin)
    }
    let recording = Cleaning.usual.mark(segments)
    series = recording.nn(in: span)
    guard let time = try? series.timeDomain() else { return nil }
    self.source = source
    sdnn = time.sdnn
    // If the series name several devices, use the first. A strap's device changes when it is enrolled again,
    // or when its firmware version becomes known.
    let first = parts.filter { $0.end > window.start }.min { ($0.start, $0.end) < ($1.start, $1.end) }
    device = first?.device
    sensorLocation = first?.sensorLocation
  }

  func comesBefore(_ other: Candidate) -> Bool {
    if series.coverage != other.series.coverage { return series.coverage > other.series.coverage }
    if series.artefactShare != other.series.artefactShare {
      return series.artefactShare < other.series.artefactShare
    }
    return source.bundleIdentifier < other.source.bundleIdentifier
  }

  func figure(_ window: VariabilityWindow) -> DerivedFigure {
    var metadata: [String: Any] = [
      DerivedSource.Key.origin: source.bundleIdentifier,
      DerivedSource.Key.coverage: NSNumber(value: series.coverage),
      DerivedSource.Key.artefacts: NSNumber(value: series.artefactShare),
    ]
    metadata[HKMetadataKeyHeartRateSensorLocation] = sensorLocation
    return DerivedFigure(
      kind: .variability, syncIdentifier: window.syncIdentifier, value: sdnn,
      start: Date(timeIntervalSince1970: window.start), end: Date(timeIntervalSince1970: window.end),
      device: device, metadata: metadata)
  }
}
