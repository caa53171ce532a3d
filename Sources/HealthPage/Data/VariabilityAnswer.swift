import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

/// Heart-rate variability, window by window: the figures of `hrgate hrv`, by the same names and in the same
/// units.
struct VariabilityAnswer: Codable, Sendable {
  struct Figures: WithheldFigures, Codable, Sendable {
    var source: String
    var name: String
    var start: Date
    var end: Date
    var beats: Int
    /// 0 to 1.
    var coverage: Double
    var artefacts: Double
    // Milliseconds.
    var meanNN: Double?
    var sdnn: Double?
    var rmssd: Double?
    var lnRMSSD: Double?
    // Percent.
    var pnn50: Double?
    // Milliseconds.
    var sd1: Double?
    var sd2: Double?
    // ms².
    var lf: Double?
    var hf: Double?
    var lfhf: Double?
    var dfaAlpha1: Double?
    /// Why there is none at all.
    var refused: String?
    /// Why single figures are absent, by their names.
    var withheld: [String: String]?
  }

  /// In order of the sources' names and of time.
  var windows: [Figures]

  /// More nobody tells apart.
  private static let most = 600

  static func of(
    _ store: HKHealthStore, during span: DateInterval, source: String?, every seconds: Int
  ) async throws -> VariabilityAnswer {
    guard (10...86_400).contains(seconds) else {
      throw PageFault.argument("A window is of 10 seconds to a day.")
    }
    let plan = WindowPlan(duration: Double(seconds), origin: span.start.timeIntervalSince1970)
    var windows: [(source: HKSource, window: Figures)] = []
    let length = (part / Double(seconds)).rounded(.down) * Double(seconds)
    for part in try await BeatParts.of(span, length: length, in: store, source: source) {
      for beats in try await beats(of: store, during: part, within: span, source: source) {
        // As `hrgate hrv` does: what is marked is the whole, and the windows are those that lie in the time.
        let recording = Cleaning.usual.mark(beats.segments)
        let wanted = plan.windows(of: recording).filter {
          $0.start >= part.start.timeIntervalSince1970 && $0.start < part.end.timeIntervalSince1970
            && $0.end <= span.end.timeIntervalSince1970
        }
        guard windows.count + wanted.count <= most else {
          throw PageFault.argument("That are more than 600 windows: ask for longer ones, or for less time.")
        }
        windows += wanted.map { (beats.source, Figures($0, recording.nn(in: $0), beats.source)) }
      }
    }
    // Each part has its sources in order; a time of several has them source by source.
    let ordered = windows.enumerated().sorted {
      let (one, other) = ($0.element.source, $1.element.source)
      return (one.name, one.bundleIdentifier, $0.offset) < (other.name, other.bundleIdentifier, $1.offset)
    }
    return VariabilityAnswer(windows: ordered.map(\.element.window))
  }

  /// So much is looked at at a time, and in whole windows: memory does not grow with the time that is asked
  /// for.
  static let part = 2 * 86_400.0
  /// What is marked goes by the beats around it.
  private static let around = 600.0

  private static func beats(
    of store: HKHealthStore, during part: DateInterval, within span: DateInterval, source: String?
  ) async throws -> [StoredBeats] {
    // Of a time that is one part no beat is left out that a series has with one in it.
    guard span.duration > Self.part else {
      return try await StoredBeats.bySource(
        in: store, matching: Selection(from: span.start, to: span.end, source: source).predicate([]))
    }
    let looked = Selection(from: part.start - around, to: part.end + around, source: source)
    return try await StoredBeats.bySource(in: store, matching: looked.predicate([]))
  }
}

extension VariabilityAnswer.Figures {
  fileprivate init(_ window: Window, _ series: NNSeries, _ source: HKSource) {
    self.init(
      source: source.bundleIdentifier, name: source.name,
      start: Date(timeIntervalSince1970: window.start), end: Date(timeIntervalSince1970: window.end),
      beats: series.measured, coverage: series.coverage, artefacts: series.artefactShare)
    let measures = VariabilityAnalysis().measures(of: series)
    switch measures.timeDomain {
    case .failure(let refusal):
      refused = refusal.reason.rawValue
      return
    case .success(let time):
      (meanNN, sdnn, rmssd) = (time.meanNN, time.sdnn, time.rmssd)
      lnRMSSD = present(time.lnRMSSD, "lnRMSSD")
      pnn50 = time.pNN50()
    }
    if let plot = taken(measures.poincarePlot, "sd1", "sd2") { (sd1, sd2) = (plot.sd1, plot.sd2) }
    if let powers = taken(measures.bandPowers, "lf", "hf", "lfhf") {
      (lf, hf) = (powers.lf, powers.hf)
      lfhf = present(powers.ratio, "lfhf")
    }
    dfaAlpha1 = taken(measures.shortAlpha, "dfaAlpha1")
  }
}
