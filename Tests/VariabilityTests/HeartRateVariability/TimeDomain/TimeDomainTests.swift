import Foundation
import HeartRateVariability
import Testing

@Suite struct TimeDomainTests {
  private struct Published: Decodable {
    var neurokit2: [String: Double]
    var hrvanalysis: [String: Double]
    var histogram: Double
  }

  private func published(_ name: String) throws -> Published {
    let all: [String: Published] = try Vectors.read("time-domain")
    return try #require(all[name])
  }

  private func measures(_ name: String) throws -> TimeDomain {
    try #require(NNSeries(intervals: Vectors.series(name))).timeDomain()
  }

  @Test(arguments: ["short", "long"]) func `the figures are NeuroKit2's`(name: String) throws {
    let (own, other) = (try measures(name), try published(name).neurokit2)
    let figures = [
      "MeanNN": own.meanNN, "SDNN": own.sdnn, "RMSSD": own.rmssd, "SDSD": own.sdsd,
      "pNN50": own.pNN50(of: .intervals), "pNN20": own.pNN20(of: .intervals), "HTI": own.triangularIndex,
    ]
    for (key, figure) in figures { #expect(isClose(figure, other[key] ?? .nan), "\(key)") }
  }

  @Test(arguments: ["short", "long"]) func `the figures are hrv-analysis's`(name: String) throws {
    let (own, other) = (try measures(name), try published(name).hrvanalysis)
    // hrv-analysis divides SDSD by the number of differences, and hrgate by one less.
    let pairs = Double(own.differenceCount)
    let figures = [
      "mean_nni": own.meanNN, "sdnn": own.sdnn, "rmssd": own.rmssd,
      "sdsd": own.sdsd * ((pairs - 1) / pairs).squareRoot(), "nni_50": Double(own.nn50),
      "nni_20": Double(own.nn20), "pnni_50": own.pNN50(), "pnni_20": own.pNN20(),
    ]
    for (key, figure) in figures { #expect(isClose(figure, other[key] ?? .nan), "\(key)") }
  }

  @Test(arguments: ["short", "long"])
  func `the triangular index uses bins of 1/128 s from zero`(name: String) throws {
    let own = try measures(name)
    let highest = try published(name).histogram
    #expect(own.triangularIndex == Double(own.count) / highest)
  }

  @Test func `five intervals match a manual calculation`() throws {
    let series = try #require(NNSeries(intervals: [800, 850, 900, 800, 850]))
    let own = try series.timeDomain()
    #expect(own.count == 5 && own.differenceCount == 4)
    #expect(own.meanNN == 840 && isClose(own.meanHeartRate, 60_000 / 840))
    #expect(isClose(own.sdnn, 1750.0.squareRoot()))
    #expect(isClose(own.rmssd, (17_500.0 / 4).squareRoot()))
    #expect(isClose(own.lnRMSSD ?? 0, log((17_500.0 / 4).squareRoot())))
    // A difference of exactly 50 ms is not counted, because it must be more than 50 ms.
    #expect(own.nn50 == 1 && own.nn20 == 4 && own.pNN50() == 25 && own.pNN50(of: .intervals) == 20)
    #expect(own.triangularIndex == 2.5)
  }

  @Test func `a constant series has no logarithm`() throws {
    let own = try #require(NNSeries(intervals: Array(repeating: 800, count: 300))).timeDomain()
    #expect(own.sdnn == 0 && own.rmssd == 0 && own.sdsd == 0 && own.pNN20() == 0 && own.triangularIndex == 1)
    #expect(own.lnRMSSD == nil)
  }

  /// Each length leaves another number of values over after the SIMD vectors, and each run starts with other
  /// values.
  @Test(arguments: 2...13) func `differences match a term-by-term sum for any length`(length: Int) throws {
    var noise = Noise(seed: UInt64(length))
    let pieces = (0..<3).map { _ in noise.normals(length).map { 900 + 60 * $0 } }
    let recording = Hearts.recording(
      pieces.enumerated().map { RRSegment(start: Double($0) * 100, intervals: $1) }, .limitsAlone)
    let own = try recording.pooled().timeDomain(.none)
    let steps = pieces.flatMap { zip($0.dropFirst(), $0).map { $0 - $1 } }
    let count = Double(steps.count), mean = steps.reduce(0, +) / count
    #expect(own.differenceCount == steps.count)
    #expect(isClose(own.rmssd, (steps.reduce(0) { $0 + $1 * $1 } / count).squareRoot(), within: 1e-12))
    let variance = steps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    #expect(isClose(own.sdsd, variance.squareRoot(), within: 1e-12))
    #expect(own.nn50 == steps.count { abs($0) > 50 } && own.nn20 == steps.count { abs($0) > 20 })
  }

  @Test func `a ramp has equal differences without deviation`() throws {
    let own = try #require(NNSeries(intervals: (0..<300).map { 600 + Double($0) })).timeDomain()
    #expect(own.rmssd == 1 && own.sdsd == 0)
  }

  @Test func `differences above 50 and 20 ms count, and exactly 50 or 20 do not`() throws {
    func counts(_ step: Double) throws -> [Int] {
      let series = try #require(
        NNSeries(intervals: [1024, 1024 + step, 1024, 1024 - step, 1024, 1024 + step]))
      let own = try series.timeDomain()
      return [own.nn50, own.nn20]
    }
    let ulp = 1024.0.ulp
    #expect(try counts(50) == [0, 5] && counts(50 + ulp) == [5, 5] && counts(50 - ulp) == [0, 5])
    #expect(try counts(20) == [0, 0] && counts(20 + ulp) == [0, 5] && counts(20 - ulp) == [0, 0])
  }

  @Test func `a histogram bin includes its lower bound and not its upper one`() throws {
    // Bin 115 has three intervals, one of them equal to its lower bound. The bins before and after it have one
    // interval each.
    let edge = 115 * 7.8125
    let intervals = [edge, edge + 1, edge + 7.8, edge.nextDown, edge + 8.8]
    let series = try #require(NNSeries(intervals: intervals))
    #expect(try series.timeDomain().triangularIndex == 5.0 / 3)
    // All intervals above ten seconds are counted in one bin.
    let long = try #require(NNSeries(intervals: [10_000, 20_000, 86_400_000, 800]))
    #expect(try long.timeDomain().triangularIndex == 4.0 / 3)
  }

  @Test func `too few intervals are refused with a reason`() throws {
    for count in 0...2 {
      let series = try #require(NNSeries(intervals: Array(repeating: 800, count: count)))
      #expect(refusal { () throws(MeasureError) in try series.timeDomain() } == .tooFewIntervals)
    }
    let apart = Hearts.recording(
      (0..<5).map { RRSegment(start: Double($0) * 10, intervals: [800]) }
    ).pooled()
    #expect(refusal { () throws(MeasureError) in try apart.timeDomain(.none) } == .tooFewDifferences)
  }

  @Test func `a window with more heartbeat than time is refused with a reason`() throws {
    let window = try #require(Window(start: 0, end: 300))
    // One heart in two series of one source, as if two hosts had received it.
    for shift in [0.0, 0.4, 150] {
      let twice = Hearts.recording(
        [0, shift].compactMap { RRSegment(start: $0, intervals: Array(repeating: 900, count: 320)) })
      #expect(
        refusal { () throws(MeasureError) in try twice.nn(in: window).timeDomain() } == .moreBeatsThanTime)
    }
    // Two parts that overlap only by the difference of two clocks are accepted.
    let parts = Hearts.recording(
      [0, 143.9].compactMap { RRSegment(start: $0, intervals: Array(repeating: 900, count: 160)) })
    #expect(try parts.nn(in: window).timeDomain().count == 320)
  }

  @Test func `a window with too few intervals or too many artifacts is refused with a reason`() throws {
    let recording = Hearts.recording([Double](repeating: 1000, count: 239), .limitsAlone)
    let window = try #require(Window(start: 0, end: 300))
    #expect(refusal { () throws(MeasureError) in try recording.nn(in: window).timeDomain() } == .lowCoverage)
    let more = Hearts.recording([Double](repeating: 1000, count: 240), .limitsAlone)
    #expect(try more.nn(in: window).timeDomain().count == 240)
    // 100 of the 400 intervals are wrong, but so short that the others still fill the window.
    let dirty = Hearts.recording((0..<400).map { $0.isMultiple(of: 4) ? 100 : 970 }, .limitsAlone)
    #expect(refusal { () throws(MeasureError) in try dirty.nn(in: window).timeDomain() } == .tooManyArtefacts)
  }

  @Test func `SDANN and the SDNN index use windows of five minutes`() throws {
    // Three windows of 300 s with different mean intervals (1000, 750 and 600 ms) and different spreads.
    let pieces = [1000.0, 750, 600].enumerated().map { number, mean in
      RRSegment(
        start: Double(number) * 300,
        intervals: (0..<Int(300_000 / mean)).map { mean + ($0.isMultiple(of: 2) ? 10 : -10) })
    }
    let recording = Hearts.recording(pieces, .limitsAlone)
    let long = try recording.longTerm()
    #expect(long.windows == 3)
    let means = [1000.0, 750, 600], mean = means.reduce(0, +) / 3
    let variance = means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 2
    #expect(isClose(long.sdann, variance.squareRoot(), within: 1e-3))
    #expect(isClose(long.sdnnIndex, 10, within: 2e-3))
    // Only windows that are completely in the period are counted. A longer period does not add windows.
    let part = try #require(Window(start: 250, end: 950)), much = try #require(Window(start: 250, end: 1e6))
    #expect(try recording.longTerm(in: part).windows == 2)
    #expect(try recording.longTerm(in: part) == recording.longTerm(in: much))
    let less = try #require(Window(start: 250, end: 890))
    #expect(refusal { () throws(MeasureError) in try recording.longTerm(in: less) } == .tooFewWindows)
    let single = Hearts.recording([pieces[0]])
    #expect(refusal { () throws(MeasureError) in try single.longTerm() } == .tooFewWindows)
  }
}
