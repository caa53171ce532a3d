import Foundation
import HeartRateVariability
import Testing

@Suite struct LombScargleTests {
  private struct Published: Decodable {
    var duration: Double
    var constant: [Double]
    var linear: [Double]
  }

  @Test(arguments: [Detrending.constant, .linear])
  func `the periodogram is scipy's`(detrending: Detrending) throws {
    let published: Published = try Vectors.read("lomb-scargle")
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    #expect(isClose(series.duration, published.duration))
    let spectrum = try series.spectrum(lombScargle: LombScargle(detrending: detrending))
    let scale = 2 * series.duration / Double(series.intervals.count)
    let expected = detrending == .linear ? published.linear : published.constant
    #expect(areClose(spectrum.densities, expected.map { $0 * scale }))
  }

  /// Returns beats whose intervals are a sum of sines: amplitudes in ms, frequencies in Hz.
  private func heart(_ waves: [(amplitude: Double, frequency: Double)], seconds: Double) -> [Double] {
    var intervals: [Double] = []
    var time = 0.0
    while time < seconds * 1000 {
      // Find the interval that ends at time t and has the value of the waves at t.
      var interval = 850.0
      for _ in 0..<30 {
        interval = waves.reduce(850) {
          $0 + $1.amplitude * sin(2 * .pi * $1.frequency * (time + interval) / 1000)
        }
      }
      time += interval
      intervals.append(interval)
    }
    return intervals
  }

  @Test func `the power of a sine is half its squared amplitude, in its band`() throws {
    let series = try #require(NNSeries(intervals: heart([(30, 0.1), (20, 0.25)], seconds: 600)))
    let powers = try series.bandPowers()
    // The tolerance covers spectral leakage: unevenly spaced beats have a little.
    #expect(isClose(powers.lf, 450, within: 0.03))
    #expect(isClose(powers.hf, 200, within: 0.05))
    #expect(try powers.vlf.get() < 15)
    let ratio = powers.lf / powers.hf
    #expect(powers.ratio == ratio && isClose(powers.lfNormalized ?? 0, 100 * ratio / (1 + ratio)))
  }

  @Test func `a gap changes the power of a sine by little`() throws {
    let intervals = heart([(30, 0.1)], seconds: 300)
    let whole = try #require(RRSegment(start: 0, intervals: intervals))
    let recording = Hearts.recording(
      [
        RRSegment(start: 0, intervals: Array(intervals[..<150])),
        RRSegment(start: intervals[..<180].reduce(0, +) / 1000, intervals: Array(intervals[180...])),
      ], .limitsAlone)
    let window = try #require(Window(start: 0, end: 300))
    let pierced = try recording.nn(in: window).bandPowers(requirements: .none)
    let complete = try Hearts.recording([whole], .limitsAlone).nn(in: window).bandPowers()
    #expect(isClose(pierced.lf, complete.lf, within: 0.1))
  }

  /// Returns three segments of one heart with pauses between them.
  private func stretches(pause: Double) -> [RRSegment?] {
    let ticks = [Hearts.ticks(600, seed: 3), Hearts.ticks(500, seed: 4), Hearts.ticks(200, seed: 5)]
    var start = 0.0
    return ticks.map { ticks in
      let segment = RRSegment(start: start, ticks: ticks)
      start += (segment?.intervals.reduce(0, +) ?? 0) / 1000 + pause
      return segment
    }
  }

  @Test func `without a window the density is the mean of the stretches', weighted by their duration`() throws
  {
    let parts = stretches(pause: 5000)
    let pooled = Hearts.recording(parts, .limitsAlone).pooled()
    let alone = parts.map { Hearts.recording([$0], .limitsAlone).pooled() }
    let spectrum = try pooled.spectrum()
    let longest = alone.map(\.duration).max() ?? 0
    #expect(pooled.stretches.count == 3 && isClose(spectrum.spacing, 1 / (2 * longest), within: 1e-12))
    // Compare with Scargle's definition of the periodogram at some of the frequencies.
    for index in [0, 20, 100, 300] {
      let frequency = spectrum.frequency(at: index)
      let densities = alone.map { series in
        let power = PlainPeriodogram.power(series.intervals, series.times, frequency)
        return 2 * power * series.duration / Double(series.intervals.count)
      }
      let weighted = zip(densities, alone).reduce(0) { $0 + $1.0 * $1.1.duration } / pooled.duration
      #expect(isClose(spectrum.densities[index], weighted))
    }
  }

  @Test func `the length of pauses changes nothing`() throws {
    let powers = try [60, 61.5, 86_400, 31_536_000].map { pause in
      try Hearts.recording(stretches(pause: pause), .limitsAlone).pooled().bandPowers()
    }
    for other in powers.dropFirst() {
      #expect(isClose(other.lf, powers[0].lf, within: 1e-6) && isClose(other.hf, powers[0].hf, within: 1e-6))
      #expect(try isClose(other.vlf.get(), powers[0].vlf.get(), within: 1e-6))
    }
  }

  @Test func `stretches of at least two minutes count, for VLF at least five`() throws {
    func pooled(_ counts: [Int]) -> NNSeries {
      let parts = counts.enumerated().map { number, count in
        RRSegment(start: Double(number) * 10_000, ticks: Hearts.ticks(count, seed: UInt64(number + 1)))
      }
      return Hearts.recording(parts, .limitsAlone).pooled()
    }
    let both = try pooled([600, 200]).bandPowers(), long = try pooled([600]).bandPowers()
    #expect(both.lf != long.lf && both.vlf == long.vlf)
    #expect(try pooled([600, 100]).bandPowers() == long)
    let middle = try pooled([200, 200, 200]).bandPowers()
    #expect(refusal { () throws(MeasureError) in try middle.vlf.get() } == .noLongStretch)
    let short = pooled([100, 100, 100])
    #expect(refusal { () throws(MeasureError) in try short.bandPowers() } == .noLongStretch)
  }

  @Test func `parameters outside their limits still give a spectrum`() throws {
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    for (oversampling, highest) in [(0, Double.infinity), (.max, .nan), (.min, -1)] {
      let parameters = LombScargle(oversampling: oversampling, highest: highest)
      #expect(try series.spectrum(lombScargle: parameters).densities.allSatisfy { $0.isFinite })
    }
  }

  @Test func `the densities of white noise are flat, and their integral is the variance`() throws {
    var noise = Noise(seed: 11)
    let series = try #require(NNSeries(intervals: noise.normals(3500).map { 1000 + 30 * $0 }))
    let spectrum = try series.spectrum(lombScargle: LombScargle(highest: 0.5))
    let low = spectrum.power(in: FrequencyBand(lower: 0, upper: 0.25))
    let high = spectrum.power(in: FrequencyBand(lower: 0.25, upper: 0.5))
    #expect(isClose(low, high, within: 0.15))
    #expect(isClose(low + high, 900, within: 0.1))
  }

  @Test func `a constant or drifting series has no power and no ratio`() throws {
    for intervals in [
      [Double](repeating: 813.7, count: 400), [Double](repeating: 1000 / 1.1, count: 400),
    ] {
      let powers = try #require(NNSeries(intervals: intervals)).bandPowers()
      #expect(powers.lf == 0 && powers.hf == 0 && powers.vlf == .success(0))
      #expect(powers.ratio == nil && powers.lfNormalized == nil && powers.hfNormalized == nil)
    }
  }

  @Test func `powers do not depend on the start of the window`() throws {
    let ticks = Hearts.ticks(400, seed: 12)
    let powers = try [0, 1_700_000_100, 1e10].map { start in
      let window = try #require(Window(start: start, end: start + 300))
      return try Hearts.recording([RRSegment(start: start, ticks: ticks)]).nn(in: window).bandPowers()
    }
    #expect(Set(powers).count == 1)
  }

  @Test func `windows that are too short or too long are refused with a reason`() throws {
    let short = try #require(NNSeries(intervals: Array(repeating: 1000, count: 119)))
    #expect(refusal { () throws(MeasureError) in try short.bandPowers() } == .windowTooShort)
    #expect(refusal { () throws(MeasureError) in try short.bandPowers(welch: Welch()) } == .windowTooShort)
    let middle = try #require(NNSeries(intervals: Array(repeating: 1000, count: 299)))
    #expect(refusal { () throws(MeasureError) in try middle.bandPowers().vlf.get() } == .windowTooShort)
    let long = try #require(Window(start: 0, end: 3601))
    let hours = Hearts.recording([Double](repeating: 1000, count: 4000)).nn(in: long)
    #expect(refusal { () throws(MeasureError) in try hours.bandPowers() } == .windowTooLong)
    let few = try #require(NNSeries(intervals: Array(repeating: 60_000, count: 9)))
    #expect(refusal { () throws(MeasureError) in try few.bandPowers() } == .tooFewIntervals)
  }

  @Test func `adjacent bands add up to their union`() throws {
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    let spectrum = try series.spectrum()
    let parts = [FrequencyBand.vlf, .lf, .hf].map(spectrum.power(in:)).reduce(0, +)
    #expect(isClose(parts, spectrum.power(in: FrequencyBand(lower: 0.0033, upper: 0.4))))
  }
}

/// Computes the periodogram by Scargle's definition, term by term.
enum PlainPeriodogram {
  static func power(_ intervals: [Double], _ times: [Double], _ frequency: Double) -> Double {
    // Subtract the least-squares line.
    let count = Double(intervals.count)
    let (meanX, meanY) = (times.reduce(0, +) / count, intervals.reduce(0, +) / count)
    var (products, squares) = (0.0, 0.0)
    for (x, y) in zip(times, intervals) {
      products += (x - meanX) * (y - meanY)
      squares += (x - meanX) * (x - meanX)
    }
    let values = zip(times, intervals).map { $1 - meanY - products / squares * ($0 - meanX) }
    let omega = 2 * .pi * frequency
    let sines = times.reduce(0) { $0 + sin(2 * omega * $1) }
    let cosines = times.reduce(0) { $0 + cos(2 * omega * $1) }
    let tau = atan2(sines, cosines) / (2 * omega)
    var (yc, ys, cc, ss) = (0.0, 0.0, 0.0, 0.0)
    for (time, value) in zip(times, values) {
      let (c, s) = (cos(omega * (time - tau)), sin(omega * (time - tau)))
      yc += value * c
      ys += value * s
      cc += c * c
      ss += s * s
    }
    return (yc * yc / cc + ys * ys / ss) / 2
  }
}
