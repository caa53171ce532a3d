package import Foundation
package import HeartRateVariability

/// Heart-rate variability of a window, in the JSON of `hrgate hrv --json` and of the page. The names are
/// stable. Values that cannot be computed are absent: ``refused`` has the reason if there are none at all,
/// ``withheld`` the reasons of single ones.
package struct VariabilityView: Codable, Sendable {
  /// The source's bundle identifier, or the file.
  package var source: String
  /// The source's name. Only on the page.
  package var name: String?
  package var start: Date
  package var end: Date
  /// Number of intervals that end in the window, including artifacts.
  package var beats: Int
  /// The coverage of the window, from 0 to 1.
  package var coverage: Double
  /// The share of artifacts among the intervals, from 0 to 1.
  package var artefacts: Double
  // Milliseconds.
  package var meanNN: Double?
  package var sdnn: Double?
  package var rmssd: Double?
  package var lnRMSSD: Double?
  package var sdsd: Double?
  package var nn50: Int?
  // Percent.
  package var pnn50: Double?
  package var pnn20: Double?
  package var triangularIndex: Double?
  // Milliseconds.
  package var sdann: Double?
  package var sdnnIndex: Double?
  // Milliseconds.
  package var sd1: Double?
  package var sd2: Double?
  package var sd1sd2: Double?
  // ms².
  package var vlf: Double?
  package var lf: Double?
  package var hf: Double?
  package var lfhf: Double?
  // Percent of lf + hf.
  package var lfnu: Double?
  package var hfnu: Double?
  package var dfaAlpha1: Double?
  package var dfaAlpha2: Double?
  package var sampleEntropy: Double?
  package var refused: String?
  /// The reasons by the names of the values.
  package var withheld: [String: String]?

  package init(
    _ window: Window, _ series: NNSeries, of recording: MarkedRecording, _ analysis: VariabilityAnalysis,
    source: String, name: String? = nil
  ) {
    (self.source, self.name) = (source, name)
    start = Date(timeIntervalSince1970: window.start)
    end = Date(timeIntervalSince1970: window.end)
    beats = series.measured
    coverage = series.coverage
    artefacts = series.artefactShare
    let measures = analysis.measures(of: series)
    switch measures.timeDomain {
    case .success(let time): take(time)
    case .failure(let refusal):
      refused = refusal.reason.rawValue
      return
    }
    let longTerm = Result { () throws(MeasureError) in try recording.longTerm(in: window) }
    if let long = taken(longTerm, "sdann", "sdnnIndex") { (sdann, sdnnIndex) = (long.sdann, long.sdnnIndex) }
    if let plot = taken(measures.poincarePlot, "sd1", "sd2", "sd1sd2") {
      (sd1, sd2) = (plot.sd1, plot.sd2)
      sd1sd2 = present(plot.ratio, "sd1sd2")
    }
    if let powers = taken(measures.bandPowers, "vlf", "lf", "hf", "lfhf", "lfnu", "hfnu") {
      (lf, hf) = (powers.lf, powers.hf)
      vlf = taken(powers.vlf, "vlf")
      lfhf = present(powers.ratio, "lfhf")
      lfnu = present(powers.lfNormalized, "lfnu")
      hfnu = present(powers.hfNormalized, "hfnu")
    }
    dfaAlpha1 = taken(measures.shortAlpha, "dfaAlpha1")
    dfaAlpha2 = taken(measures.longAlpha, "dfaAlpha2")
    sampleEntropy = taken(measures.sampleEntropy, "sampleEntropy")
  }

  private mutating func take(_ time: TimeDomain) {
    meanNN = time.meanNN
    sdnn = time.sdnn
    rmssd = time.rmssd
    lnRMSSD = present(time.lnRMSSD, "lnRMSSD")
    sdsd = time.sdsd
    nn50 = time.nn50
    pnn50 = time.pNN50()
    pnn20 = time.pNN20()
    triangularIndex = time.triangularIndex
  }

  /// Returns the measure; if there is none, stores the reason under the names of its values.
  private mutating func taken<Measure>(_ result: Result<Measure, MeasureError>, _ names: String...)
    -> Measure?
  {
    switch result {
    case .success(let measure): return measure
    case .failure(let refusal):
      for name in names { withhold(name, refusal.reason) }
      return nil
    }
  }

  /// Returns a value; `nil` if the intervals do not vary.
  private mutating func present(_ figure: Double?, _ name: String) -> Double? {
    if figure == nil { withhold(name, .noVariation) }
    return figure
  }

  private mutating func withhold(_ name: String, _ reason: MeasureError.Reason) {
    withheld = (withheld ?? [:]).merging([name: reason.rawValue]) { _, new in new }
  }
}
