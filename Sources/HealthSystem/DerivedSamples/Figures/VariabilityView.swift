package import Foundation
package import HeartRateVariability

/// The heart-rate variability of a time window. `hrgate hrv --json` and the page encode it as JSON. The field
/// names are stable. Values that cannot be computed are absent: ``refused`` is the reason if all of them are,
/// and ``withheld`` lists the reasons for individual ones.
package struct VariabilityView: Codable, Sendable {
  /// The bundle identifier of the source, or the name of the file that was analyzed.
  package var source: String
  /// The display name of the source. Set only for the page.
  package var name: String?
  package var start: Date
  package var end: Date
  /// Number of RR intervals that end in the window, including artifacts.
  package var beats: Int
  /// The fraction of the window that is covered by normal intervals, from 0 to 1.
  package var coverage: Double
  /// The fraction of intervals that are artifacts, from 0 to 1.
  package var artefacts: Double
  // The following values are in milliseconds.
  package var meanNN: Double?
  package var sdnn: Double?
  package var rmssd: Double?
  package var lnRMSSD: Double?
  package var sdsd: Double?
  package var nn50: Int?
  // The following values are in percent.
  package var pnn50: Double?
  package var pnn20: Double?
  package var triangularIndex: Double?
  // The following values are in milliseconds.
  package var sdann: Double?
  package var sdnnIndex: Double?
  // The following values are in milliseconds.
  package var sd1: Double?
  package var sd2: Double?
  package var sd1sd2: Double?
  // The following values are in ms².
  package var vlf: Double?
  package var lf: Double?
  package var hf: Double?
  package var lfhf: Double?
  // The following values are percentages of lf + hf.
  package var lfnu: Double?
  package var hfnu: Double?
  package var dfaAlpha1: Double?
  package var dfaAlpha2: Double?
  package var sampleEntropy: Double?
  package var refused: String?
  /// The reason for each absent value, by the name of the value.
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

  /// Returns the measure. If it could not be computed, records the reason under each of the names.
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

  /// Returns the value. If it is nil, records that the intervals do not vary.
  private mutating func present(_ figure: Double?, _ name: String) -> Double? {
    if figure == nil { withhold(name, .noVariation) }
    return figure
  }

  private mutating func withhold(_ name: String, _ reason: MeasureError.Reason) {
    withheld = (withheld ?? [:]).merging([name: reason.rawValue]) { _, new in new }
  }
}
