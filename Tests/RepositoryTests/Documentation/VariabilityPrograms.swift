import HeartRateVariability
import Testing

/// Runs the code blocks of the docstrings of `HeartRateVariability` on simulated intervals that vary with
/// breathing at 0.25 Hz: one breath takes 4 s, or five beats.
@Suite struct VariabilityPrograms {
  private static let intervals = (0..<3000).map { 800 + 40 * sine(Double($0) * 0.2) }
  private let segments = [RRSegment(start: 0, intervals: intervals)].compactMap(\.self)
  private let recording: MarkedRecording
  private let window: Window
  private let series: NNSeries
  private let heartRates: HeartRateSeries

  /// A triangle wave with a period of one. For these tests it replaces a sine.
  private static func sine(_ turns: Double) -> Double { 4 * abs(turns - turns.rounded()) - 1 }

  init() throws {
    recording = Cleaning.limitsAlone.mark(segments)
    window = try #require(Window(start: 300, end: 600))
    series = recording.nn(in: window)
    heartRates = HeartRateSeries(
      (0..<7200).compactMap { second in
        let beatsPerMinute = second < 3600 ? 60.0 : second < 3660 ? 150 : 90
        return HeartRateReading(time: Double(second), beatsPerMinute: beatsPerMinute)
      })
  }

  @Test func `beats become segments, and segments a recording`() throws {
    do {
      let segments = RRSegment.segments(start: 0, beats: [.init(offset: 0), .init(offset: 0.8125)])
      #expect(segments.map(\.intervals) == [[812.5]])
    }
    do {
      let recording = Cleaning.usual.mark(segments)
      print(recording.counts)
      #expect(recording.counts.values.reduce(0, +) == 3000)
    }
    do {
      let recording = Cleaning.usual.mark(segments)
      let series = recording.corrected().pooled()
      #expect(series.intervals.count >= 2900)
    }
    do {
      let segment = try #require(segments.first)
      let findings = LipponenTarvainen().findings(in: segment.intervals)
      #expect(findings.allSatisfy { $0.mark != .normal })
    }
    let (fromLink, fromLog) = (segments, segments)
    let merged = MergedSegments(fromLink + fromLog)
    let recording = Cleaning.usual.mark(merged.segments)
    print(merged.dropped, recording.segments.count)
    #expect(merged.dropped == 3000)
    #expect(recording.segments.count == 1)
  }

  @Test func `measures of a window`() throws {
    do {
      let series = recording.nn(in: window)
      print(series.coverage, try series.timeDomain().sdnn)
      #expect(series.coverage > 0.9)
    }
    do {
      let timeDomain = try series.timeDomain()
      print(timeDomain.rmssd, timeDomain.pNN50())
      #expect(timeDomain.rmssd > 0)
    }
    do {
      let plot = try series.poincarePlot()
      print(plot.sd1, plot.sd2)
      #expect(plot.sd1 > 0)
    }
    do {
      let powers = try series.bandPowers()
      print(powers.lf, powers.hf, powers.ratio ?? 0)
      #expect(powers.hf > powers.lf)
    }
    do {
      let powers = try series.bandPowers(welch: Welch())
      #expect(powers.hf > powers.lf)
    }
    let spectrum = try series.spectrum(lombScargle: LombScargle(oversampling: 4))
    print(spectrum.power(in: .hf))
    #expect(spectrum.power(in: .hf) > 0)
    let alpha1 = try series.alpha(.short)
    #expect(alpha1 > 0)
    let entropy = try series.sampleEntropy()
    #expect(entropy >= 0)
  }

  @Test func `a window without enough data gives an error`() throws {
    let strict = Requirements(coverage: 0.95, artefactShare: 0.02)
    print(try series.timeDomain(strict).rmssd)
    let empty = try #require(NNSeries(intervals: []))
    let tooFew = #expect(throws: MeasureError.self) { try empty.timeDomain(strict) }
    #expect(tooFew?.reason == .tooFewIntervals)
    func report(_ series: NNSeries) {
      do {
        print(try series.timeDomain().rmssd)
      } catch {
        print(error.reason.rawValue, error.found, error.needed)
      }
    }
    report(empty)
    if let series = NNSeries(intervals: [812, 820, 805, 831]) {
      print(try series.timeDomain().rmssd)
    }
  }

  @Test func `all measures of all windows`() throws {
    let analysis = VariabilityAnalysis()
    for window in WindowPlan.fiveMinutes.windows(of: recording) {
      let measures = analysis.measures(of: recording.nn(in: window))
      if case .success(let timeDomain) = measures.timeDomain { print(timeDomain.rmssd) }
    }
    #expect(WindowPlan.fiveMinutes.windows(of: recording).count == 8)
    #expect(throws: MeasureError.self) {
      for window in WindowPlan.twoMinutesSliding.windows(of: recording) {
        print(window.start, try recording.nn(in: window).alpha())
      }
    }
    let longTerm = try recording.longTerm()
    print(longTerm.sdann)
    #expect(longTerm.sdann >= 0)
  }

  @Test func `measures of the heart rate`() throws {
    do {
      let samples = [(time: 0.0, value: 60.0), (time: 5, value: 62)]
      let heartRates = HeartRateSeries(
        samples.compactMap { HeartRateReading(time: $0.time, beatsPerMinute: $0.value) })
      if let window = Window(start: 0, end: 300) { print(heartRates.mean(in: window) ?? 0) }
      #expect(heartRates.readings.count == 2)
    }
    if let zones = HeartRateZones(ofMaximum: 190) {
      print(heartRates.time(in: zones, during: window))
    }
    #expect(HeartRateZones(ofMaximum: 190)?.zone(of: 150) == 3)
    if let impulse = TrainingImpulse(resting: 50, maximum: 190, weighting: .women) {
      print(heartRates.trainingImpulse(impulse, during: window))
    }
    #expect(TrainingImpulse(resting: 190, maximum: 50, weighting: .women) == nil)
    let end = 3660.0
    let recovery = try heartRates.recovery(afterExerciseEndingAt: end)
    print(recovery.fall)
    #expect(recovery.fall == 60)
  }

  @Test func `the resting heart rate of a day`() throws {
    let day = try #require(Window(start: 0, end: 7200))
    let workouts = [Window(start: 3600, end: 3660)].compactMap(\.self)
    let resting = try heartRates.restingHeartRate(in: day, excluding: workouts)
    print(resting.beatsPerMinute)
    #expect(resting.beatsPerMinute == 60)
    var minutes = try HeartRateMinutes(of: day)
    minutes.replace(minutes.indices, by: heartRates)
    print(try minutes.restingHeartRate(excluding: workouts).beatsPerMinute)
    #expect(minutes.knownCount == 120)
  }
}
