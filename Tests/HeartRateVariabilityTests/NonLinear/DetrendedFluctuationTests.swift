import HeartRateVariability
import Testing

@Suite struct DetrendedFluctuationTests {
  @Test func `fluctuations are those of numpy's least squares`() throws {
    let published: [String: [Double]] = try Vectors.read("fluctuation")
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    let own = series.fluctuations(DetrendedFluctuation(scales: 4...64))
    let expected = try #require(published["short"])
    #expect(own.count == expected.count && zip(own, expected).allSatisfy { isClose($0, $1) })
    #expect(try isClose(series.alpha(), 0.665_215_544_150_132_2))
    #expect(try isClose(series.alpha(.long), 0.918_734_435_812_705_9))
  }

  /// White noise has 0.5, its sums have 1.5 (Peng 1995).
  @Test func `α of white noise and of a random walk`() throws {
    var noise = Noise(seed: 21)
    let white = noise.normals(20_000)
    var walk = 0.0
    let brownian = white.map { step in
      walk += step
      return walk
    }
    func alpha(_ values: [Double], _ analysis: DetrendedFluctuation) throws -> Double {
      try #require(NNSeries(intervals: values.map { 5000 + 4 * $0 })).alpha(analysis, requirements: .none)
    }
    #expect(try abs(alpha(white, .long) - 0.5) < 0.05)
    #expect(try abs(alpha(brownian, .long) - 1.5) < 0.05)
    // Over few beats the method's bias is greater.
    #expect(try abs(alpha(white, .short) - 0.5) < 0.1)
    #expect(try abs(alpha(brownian, .short) - 1.5) < 0.1)
  }

  /// Pink noise has 1. It is made by Kellet's filter: six poles of white noise, one for each octave or two.
  @Test func `α of pink noise`() throws {
    var noise = Noise(seed: 22)
    let poles = [0.99886, 0.99332, 0.96900, 0.86650, 0.55, -0.7616]
    let gains = [0.0555179, 0.0750759, 0.1538520, 0.3104856, 0.5329522, -0.0168980]
    var states = [Double](repeating: 0, count: 6)
    var delayed = 0.0
    let pink = noise.normals(20_000).map { white in
      for index in states.indices { states[index] = poles[index] * states[index] + gains[index] * white }
      defer { delayed = 0.115926 * white }
      return states.reduce(0, +) + delayed + 0.5362 * white
    }
    let series = try #require(NNSeries(intervals: pink.map { 5000 + 100 * $0 }))
    #expect(try abs(series.alpha(.long) - 1) < 0.05)
    #expect(try abs(series.alpha(.short) - 1) < 0.1)
  }

  @Test func `α does not depend on the rate or on the size of the variation`() throws {
    let series = try Vectors.series("long")
    let alpha = try #require(NNSeries(intervals: series)).alpha()
    let scaled = try #require(NNSeries(intervals: series.map { 3 * $0 + 100 })).alpha()
    #expect(isClose(alpha, scaled, within: 1e-9))
  }

  @Test func `too little, too many artefacts and nothing that varies are refused by name`() throws {
    func alpha(_ intervals: [Double]) throws -> Refusal.Reason? {
      let series = try #require(NNSeries(intervals: intervals))
      return refusal { () throws(Refusal) in try series.alpha() }
    }
    let series = try Vectors.series("short")
    #expect(try alpha(Array(series[..<63])) == .noLongStretch)
    #expect(try alpha(Array(series[..<64])) == nil)
    #expect(try alpha(Array(repeating: 1000 / 1.1, count: 300)) == .noVariation)
    let dirty = Hearts.recording(series.enumerated().map { $0.isMultiple(of: 19) ? 2500 : $1 }, .limitsAlone)
    #expect(
      refusal { () throws(Refusal) in try dirty.corrected().pooled().alpha() } == .tooManyArtefacts)
  }

  @Test func `scales are brought to their limits`() {
    #expect(DetrendedFluctuation(scales: (-5)...Int.max).scales == 4...1024)
    #expect(DetrendedFluctuation(scales: 8...8).scales == 8...9)
    #expect(DetrendedFluctuation(scales: 5000...6000).scales == 1023...1024)
  }
}
