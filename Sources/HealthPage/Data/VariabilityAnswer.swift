import DerivedSamples
import Foundation
import HealthKit
import HeartRateVariability

/// Heart-rate variability, window by window: the figures of `hrgate hrv`, by the same names and in the same
/// units.
struct VariabilityAnswer: Codable, Sendable {
  struct Figures: WithheldFigures, Codable, Sendable {
    var source: String
    var name: String
    /// Milliseconds since 1970.
    var start: Double
    var end: Double
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
    // As `hrgate hrv` does: what is marked is the whole, and the windows are those that lie in the time.
    let selection = Selection(from: span.start, to: span.end, source: source).predicate([])
    let plan = WindowPlan(duration: Double(seconds), origin: span.start.timeIntervalSince1970)
    var windows: [Figures] = []
    for (source, segments) in try await StoredBeats.bySource(in: store, matching: selection) {
      let recording = Cleaning.usual.mark(segments)
      let wanted = plan.windows(of: recording).filter {
        $0.start >= span.start.timeIntervalSince1970 && $0.end <= span.end.timeIntervalSince1970
      }
      guard windows.count + wanted.count <= most else {
        throw PageFault.argument("That are more than 600 windows: ask for longer ones, or for less time.")
      }
      windows += wanted.map { Figures($0, recording.nn(in: $0), source) }
    }
    return VariabilityAnswer(windows: windows)
  }
}

extension VariabilityAnswer.Figures {
  fileprivate init(_ window: Window, _ series: NNSeries, _ source: HKSource) {
    self.init(
      source: source.bundleIdentifier, name: source.name, start: window.start * 1000, end: window.end * 1000,
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
