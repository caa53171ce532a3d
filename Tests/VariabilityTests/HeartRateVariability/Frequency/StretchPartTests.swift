import Testing

@testable import HeartRateVariability

/// Tests that a long stretch without gaps is split into parts if no window is given, so that the work grows
/// linearly with the beats.
@Suite struct StretchPartTests {
  @Test(arguments: [300, 650, 1100, 5000, 30_000])
  func `the parts of a stretch last five to ten minutes and contain all its intervals`(beats: Int) throws {
    let recording = Hearts.recording([RRSegment(start: 5, ticks: Hearts.ticks(beats, seed: 6))], .limitsAlone)
    let series = recording.pooled()
    let parts = series.stretches
    #expect(parts.count == max(Int(series.duration / 300), 1))
    #expect(parts.count == 1 || parts.allSatisfy { (299.999..<600).contains($0.duration) })
    #expect(parts.map(\.indices).reduce(into: []) { $0 += Array($1) } == Array(series.intervals.indices))
    for part in parts {
      #expect(
        series.times[part.indices].allSatisfy {
          $0 > part.start - 1e-6 && $0 <= part.start + part.duration + 1e-6
        })
    }
  }

  @Test func `the density of a long stretch is the mean of its parts'`() throws {
    let recording = Hearts.recording([RRSegment(start: 0, ticks: Hearts.ticks(2000, seed: 7))], .limitsAlone)
    let series = recording.pooled()
    let spectrum = try series.spectrum()
    #expect(series.stretches.count > 4)
    for index in [0, 20, 100, 200] {
      let frequency = spectrum.frequency(at: index)
      let densities = series.stretches.map { part in
        let power = PlainPeriodogram.power(
          Array(series.intervals[part.indices]), Array(series.times[part.indices]), frequency)
        return 2 * power * part.duration / Double(part.indices.count)
      }
      #expect(isClose(spectrum.densities[index], densities.reduce(0, +) / Double(densities.count)))
    }
  }

  @Test func `a night in one stretch has powers, and a window that needs too much work is refused`() throws {
    let night = Hearts.recording([RRSegment(start: 0, ticks: Hearts.ticks(30_000, seed: 8))], .limitsAlone)
    let powers = try night.pooled().bandPowers()
    #expect(try powers.hf > 0 && powers.vlf.get() > 0)
    let intervals = [Double](repeating: 1000, count: LombScargle.mostIntervals + 1)
    let ever = NNSeries(
      intervals: intervals, pieces: [], runs: [intervals.indices], measured: intervals.count,
      artefacts: 0, coverage: 1, overlap: 0, duration: 5_000_001, stretches: [])
    #expect(refusal { () throws(MeasureError) in try ever.bandPowers() } == .windowTooLong)
  }

  @Test func `a few intervals of a day each give no more parts than intervals`() {
    let series = Hearts.recording(
      [Double](repeating: 86_400_000, count: 20),
      Cleaning(limits: RangeLimits(shortest: 0, longest: .infinity), classification: nil)
    ).pooled()
    #expect(series.stretches.count <= 20 && series.intervals.count == 20)
  }
}
