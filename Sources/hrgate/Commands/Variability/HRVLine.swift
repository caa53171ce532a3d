import Foundation
import HealthDataSync
import HeartRateVariability

/// What `hrgate hrv --json` prints for a window. The names are a promise. What is refused is absent, and
/// `refused` says why: of the window's time domain, and so of all, or in `withheld` of single figures.
struct HRVLine: WithheldFigures, Encodable {
  /// The source's bundle identifier, or the file.
  var source: String
  var start: String
  var end: String
  /// Intervals that end in the window, artefacts included.
  var beats: Int
  /// 0 to 1.
  var coverage: Double
  /// Of the intervals, 0 to 1.
  var artefacts: Double
  // Milliseconds.
  var meanNN: Double?
  var sdnn: Double?
  var rmssd: Double?
  var lnRMSSD: Double?
  var sdsd: Double?
  var nn50: Int?
  // Percent.
  var pnn50: Double?
  var pnn20: Double?
  var triangularIndex: Double?
  // Milliseconds.
  var sdann: Double?
  var sdnnIndex: Double?
  // Milliseconds.
  var sd1: Double?
  var sd2: Double?
  var sd1sd2: Double?
  // ms².
  var vlf: Double?
  var lf: Double?
  var hf: Double?
  var lfhf: Double?
  // Percent of lf + hf.
  var lfnu: Double?
  var hfnu: Double?
  var dfaAlpha1: Double?
  var dfaAlpha2: Double?
  var sampleEntropy: Double?
  var refused: String?
  /// By the figure's name.
  var withheld: [String: String]?

  init(
    _ window: Window, _ series: NNSeries, of recording: MarkedRecording, _ analysis: VariabilityAnalysis,
    _ source: String
  ) {
    self.source = source
    start = Timestamp.text(Date(timeIntervalSince1970: window.start))
    end = Timestamp.text(Date(timeIntervalSince1970: window.end))
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
    let longTerm = Result { () throws(Refusal) in try recording.longTerm(in: window) }
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
}
