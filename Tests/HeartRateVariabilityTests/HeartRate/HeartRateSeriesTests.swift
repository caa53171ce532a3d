import HeartRateVariability
import Testing

@Suite struct HeartRateSeriesTests {
  static func series(_ rates: [(Double, Double)], longestHold: Double = 10) -> HeartRateSeries {
    HeartRateSeries(
      rates.compactMap { HeartRateReading(time: $0.0, beatsPerMinute: $0.1) }, longestHold: longestHold)
  }

  @Test func `a rate holds until the next, and no longer than it may`() throws {
    let series = Self.series([(0, 60), (5, 120), (100, 90)])
    let window = try #require(Window(start: 0, end: 200))
    // 5 s of 60, 10 s of 120, 10 s of 90.
    #expect(series.knownTime(in: window) == 25)
    #expect(isClose(series.mean(in: window) ?? 0, 2400.0 / 25))
    let part = try #require(Window(start: 3, end: 7))
    #expect(series.knownTime(in: part) == 4)
    #expect(isClose(series.mean(in: part) ?? 0, 90))
    let gap = try #require(Window(start: 20, end: 99))
    #expect(series.knownTime(in: gap) == 0 && series.mean(in: gap) == nil)
  }

  @Test(arguments: [0, -5, .nan, .infinity, 1001]) func `no rate is no reading`(rate: Double) {
    #expect(HeartRateReading(time: 0, beatsPerMinute: rate) == nil)
    #expect(HeartRateReading(time: .nan, beatsPerMinute: 60) == nil)
  }

  @Test func `nothing, and readings at one instant, are no trap`() throws {
    let window = try #require(Window(start: 0, end: 100))
    let none = Self.series([])
    #expect(none.mean(in: window) == nil && none.knownTime(in: window) == 0)
    let twice = Self.series([(0, 60), (0, 80), (0, 90)], longestHold: .nan)
    #expect(twice.knownTime(in: window) == 10)
    #expect((twice.mean(in: window) ?? 0).isFinite)
  }
}
