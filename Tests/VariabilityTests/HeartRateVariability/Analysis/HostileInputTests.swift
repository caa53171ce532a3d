import HeartRateVariability
import Testing

@testable import TestSupport

/// Tests that any input gives a number or an error with a reason, and never NaN or a trap.
@Suite struct HostileInputTests {
  private static let analyses = [
    VariabilityAnalysis(),
    VariabilityAnalysis(requirements: .none, alphaRequirements: .none),
    VariabilityAnalysis(
      requirements: .none, alphaRequirements: .none, spectrumMethod: .welch(Welch(segmentLength: 256))),
  ]
  private static let cleanings = [
    Cleaning.usual, .limitsAlone,
    Cleaning(limits: RangeLimits(shortest: 0, longest: .infinity), classification: LipponenTarvainen()),
  ]

  private func figures(_ measures: VariabilityMeasures) -> [Double] {
    var figures: [Double?] = []
    if case .success(let time) = measures.timeDomain {
      figures += [
        time.meanNN, time.sdnn, time.rmssd, time.sdsd, time.triangularIndex, time.lnRMSSD, time.pNN50(),
        time.pNN20(of: .intervals), time.meanHeartRate,
      ]
    }
    if case .success(let plot) = measures.poincarePlot {
      figures += [plot.sd1, plot.sd2, plot.ratio, plot.area]
    }
    if case .success(let powers) = measures.bandPowers {
      figures += [
        try? powers.vlf.get(), powers.lf, powers.hf, powers.ratio, powers.lfNormalized, powers.hfNormalized,
      ]
    }
    for case .success(let figure) in [measures.shortAlpha, measures.longAlpha, measures.sampleEntropy] {
      figures.append(figure)
    }
    return figures.compactMap(\.self)
  }

  private func expectFigures(_ segments: [RRSegment?]) {
    for cleaning in Self.cleanings {
      let recording = Hearts.recording(segments, cleaning)
      for marked in [recording, recording.corrected()] {
        let windows = WindowPlan.fiveMinutes.windows(of: marked)
        for series in windows.prefix(40).map(marked.nn(in:)) + [marked.pooled()] {
          #expect((0...1).contains(series.coverage) && (0...1).contains(series.artefactShare))
          for analysis in Self.analyses {
            #expect(figures(analysis.measures(of: series)).allSatisfy { $0.isFinite })
          }
        }
        if let measures = try? marked.longTerm() { #expect(measures.sdann.isFinite) }
      }
    }
  }

  @Test(
    arguments: [
      [], [0], [65_535], [800], [0, 0, 0], [65_535, 65_535, 65_535], [800, 800],
      [0, 65_535, 0, 65_535, 800, 800, 800],
    ] as [[UInt16]])
  func `few or impossible intervals`(ticks: [UInt16]) {
    expectFigures([RRSegment(start: 0, ticks: ticks)])
    expectFigures([RRSegment(start: 0, ticks: ticks), RRSegment(start: 0, ticks: ticks)])
  }

  @Test(arguments: [0, 1, 300, 800, 65_535] as [UInt16]) func `equal intervals`(tick: UInt16) {
    expectFigures([RRSegment(start: 1e9, ticks: [UInt16](repeating: tick, count: 700))])
  }

  @Test(arguments: 1...(isLongRun ? 12 : 3) as ClosedRange<UInt64>) func `noise of every kind`(seed: UInt64) {
    var noise = Noise(seed: seed)
    let segments = (0..<Int.random(in: 1...6, using: &noise)).map { _ in
      let kind = Int.random(in: 0...3, using: &noise)
      let ticks = (0..<Int.random(in: 0...400, using: &noise)).map { _ -> UInt16 in
        switch kind {
        case 0: UInt16.random(in: 0...65_535, using: &noise)
        case 1: [0, 1, 820, 821, 65_535].randomElement(using: &noise) ?? 0
        case 2: UInt16.random(in: 300...2048, using: &noise)
        default: UInt16.random(in: 815...825, using: &noise)
        }
      }
      return RRSegment(start: Double.random(in: -1e11...1e11, using: &noise), ticks: ticks)
    }
    expectFigures(segments)
  }

  @Test func `the longest intervals and smallest numbers`() {
    expectFigures([RRSegment(start: -1e11, intervals: Array(repeating: 86_400_000, count: 300))])
    expectFigures([RRSegment(start: 1e11, intervals: (0..<300).map { $0.isMultiple(of: 2) ? 1 : 86_400_000 })]
    )
    expectFigures([RRSegment(start: 0, intervals: Array(repeating: .leastNonzeroMagnitude, count: 300))])
    expectFigures([RRSegment(start: 0, intervals: (0..<300).map { 1 + Double($0) * 1e-15 })])
  }

  @Test func `a ramp and an alternation`() {
    expectFigures([RRSegment(start: 0, intervals: (0..<400).map { 600 + Double($0) })])
    expectFigures([RRSegment(start: 0, intervals: (0..<400).map { $0.isMultiple(of: 2) ? 700 : 900 })])
  }

  @Test func `a million intervals in one window of a day`() {
    var noise = Noise(seed: 5)
    let ticks = (0..<1_000_000).map { _ in UInt16.random(in: 0...600, using: &noise) }
    let recording = Hearts.recording([RRSegment(start: 0, ticks: ticks)])
    for window in WindowPlan(duration: 86_400).windows(of: recording) {
      let measures = VariabilityAnalysis(requirements: .none).measures(of: recording.nn(in: window))
      #expect(figures(measures).allSatisfy { $0.isFinite })
    }
  }

  @Test func `a window inside a gap is empty, and each measure is refused with a reason`() throws {
    let recording = Hearts.recording(
      [0.0, 5000].map { RRSegment(start: $0, ticks: Hearts.ticks(400, seed: 1)) })
    let series = recording.nn(in: try #require(Window(start: 1000, end: 1300)))
    #expect(series.measured == 0 && series.intervals.isEmpty && series.coverage == 0)
    for analysis in Self.analyses {
      let measures = analysis.measures(of: series)
      let reasons = [
        refusal { () throws(MeasureError) in try measures.timeDomain.get() },
        refusal { () throws(MeasureError) in try measures.poincarePlot.get() },
        refusal { () throws(MeasureError) in try measures.bandPowers.get() },
        refusal { () throws(MeasureError) in try measures.shortAlpha.get() },
        refusal { () throws(MeasureError) in try measures.longAlpha.get() },
        refusal { () throws(MeasureError) in try measures.sampleEntropy.get() },
      ]
      let expected: Set<MeasureError.Reason> = [
        .tooFewIntervals, .tooFewDifferences, .lowCoverage, .noLongStretch,
      ]
      #expect(reasons.count { $0.map(expected.contains) == true } == 6)
    }
  }

  @Test func `a day of noise`() {
    var noise = Noise(seed: 6)
    let ticks = (0..<82_000).map { _ in UInt16.random(in: 0...2200, using: &noise) }
    let recording = Hearts.recording([RRSegment(start: 1e9, ticks: ticks)])
    let windows = WindowPlan.fiveMinutes.windows(of: recording)
    #expect(windows.count > 280)
    for window in stride(from: 0, to: windows.count, by: 40).map({ windows[$0] }) {
      let series = recording.nn(in: window)
      #expect(series.artefacts > 0 && series.artefacts < series.measured)
      for analysis in Self.analyses {
        #expect(figures(analysis.measures(of: series)).allSatisfy { $0.isFinite })
      }
    }
  }
}
