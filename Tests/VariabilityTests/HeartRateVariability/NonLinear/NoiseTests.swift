import Foundation
import HeartRateVariability
import Testing

/// α of noises with known exponents. By Peng 1995, α approaches 0.5 for white noise, 1 for pink noise and
/// 1.5 for Brownian noise for many beats. Over scales of only 4 to 16 the method has a bias, which
/// Løvsletten 2017 (arXiv 1609.09331) computes exactly: the expectation of F² is that of the squared
/// distances from a fitted line. The bounds are therefore narrow: a few standard deviations of a figure of
/// 5,000 beats.
@Suite struct NoiseTests {
  private static let beats = 5000
  private static let seeds = 1...(ProcessInfo.processInfo.environment["HRGATE_LONG"] == "1" ? 100 : 4)

  private func alphas(
    _ analysis: DetrendedFluctuation, _ make: (inout Noise) -> [Double]
  ) throws -> [Double] {
    try Self.seeds.map { seed in
      var noise = Noise(seed: UInt64(seed))
      let values = make(&noise)
      return try #require(NNSeries(intervals: values.map { 50_000 + $0 })).alpha(
        analysis, requirements: .none)
    }
  }

  /// - Parameter deviation: The standard deviation of one computed α, simulated with numpy.
  private func expect(
    _ alphas: [Double], _ expected: Double, deviation: Double, _ place: SourceLocation = #_sourceLocation
  ) {
    let count = Double(alphas.count)
    let mean = alphas.reduce(0, +) / count
    #expect(abs(mean - expected) < 4 * deviation / count.squareRoot(), sourceLocation: place)
    #expect(alphas.allSatisfy { abs($0 - expected) < 5 * deviation }, sourceLocation: place)
  }

  private func white(_ noise: inout Noise) -> [Double] { noise.normals(Self.beats).map { 20 * $0 } }

  private func brownian(_ noise: inout Noise) -> [Double] {
    var sum = 0.0
    return white(&noise).map { step in
      sum += step
      return sum
    }
  }

  /// Returns pink noise by Kellet's filter: six poles applied to white noise, one for each octave or two.
  private func pink(_ noise: inout Noise) -> [Double] {
    let poles = [0.99886, 0.99332, 0.96900, 0.86650, 0.55, -0.7616]
    let gains = [0.0555179, 0.0750759, 0.1538520, 0.3104856, 0.5329522, -0.0168980]
    var states = [Double](repeating: 0, count: 6)
    var delayed = 0.0
    return noise.normals(Self.beats).map { white in
      for index in states.indices { states[index] = poles[index] * states[index] + gains[index] * white }
      defer { delayed = 0.115926 * white }
      return 100 * (states.reduce(0, +) + delayed + 0.5362 * white)
    }
  }

  /// Returns the slope (α) that the expected fluctuations have.
  private func slope(_ scales: ClosedRange<Int>, _ squares: (Double) -> Double) -> Double {
    let x = scales.map { log(Double($0)) }, y = scales.map { log(squares(Double($0))) / 2 }
    let meanX = x.reduce(0, +) / Double(x.count), meanY = y.reduce(0, +) / Double(y.count)
    let products = zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    return products / x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
  }

  /// Returns the slope for white noise, whose F² is (s² − 4)/(15·s).
  private func whiteSlope(_ scales: ClosedRange<Int>) -> Double {
    slope(scales) { ($0 * $0 - 4) / (15 * $0) }
  }

  @Test func `α of white noise`() throws {
    #expect(abs(whiteSlope(16...64) - 0.5) < 0.005 && abs(whiteSlope(4...16) - 0.583) < 0.001)
    expect(try alphas(.short, white), whiteSlope(4...16), deviation: 0.0141)
    expect(try alphas(.long, white), whiteSlope(16...64), deviation: 0.0227)
  }

  /// The expected value was computed with numpy: squared distances from a line, from the covariances of noise
  /// summed twice.
  @Test func `α of Brownian noise`() throws {
    expect(try alphas(.short, brownian), 1.501_967, deviation: 0.02)
    expect(try alphas(.long, brownian), 1.499_000, deviation: 0.032)
  }

  /// The filter's noise is pink to within a few hundredths, and so is its α. The expected value was computed
  /// as for Brownian noise.
  @Test func `α of pink noise`() throws {
    expect(try alphas(.short, pink), 1.023_618, deviation: 0.0181)
    expect(try alphas(.long, pink), 0.997_021, deviation: 0.0314)
  }
}
