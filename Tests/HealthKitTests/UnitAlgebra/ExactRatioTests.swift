import Testing

@testable import HealthFormats

@Suite struct ExactRatioTests {
  @Test func `a ratio is in lowest terms`() {
    #expect(ExactRatio(6, 4) == ExactRatio(3, 2))
    #expect(ExactRatio(254, 10_000).denominator == 5000)
    #expect(ExactRatio(powerOfTen: -3) == ExactRatio(1, 1000))
  }

  @Test func `overflow gives nil and never wraps`() {
    let great = ExactRatio(powerOfTen: 30)
    #expect(great.multiplied(by: great) == nil)
    #expect(great.multiplied(by: great.reciprocal) == .one)
    #expect(great.raised(toPower: 2) == nil)
    #expect(ExactRatio(10).raised(toPower: -2) == ExactRatio(1, 100))
    #expect(ExactRatio.one.raised(toPower: 1_000_000) == .one)
  }

  @Test func `a double is converted exactly`() throws {
    let ratio = try #require(ExactRatio(exactly: 0.1))
    #expect(Double(ratio.numerator) / Double(ratio.denominator) == 0.1)
    #expect(ratio != ExactRatio(1, 10))
    for number in [0, -1, .nan, .infinity, 1e300, .leastNonzeroMagnitude] as [Double] {
      #expect(ExactRatio(exactly: number) == nil)
    }
  }
}
