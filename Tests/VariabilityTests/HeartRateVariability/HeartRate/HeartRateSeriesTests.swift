import HeartRateVariability
import Testing

@Suite struct HeartRateSeriesTests {
  static func series(_ rates: [(Double, Double)], longestHold: Double = 10) -> HeartRateSeries {
    HeartRateSeries(
      rates.compactMap { HeartRateReading(time: $0.0, beatsPerMinute: $0.1) }, longestHold: longestHold)
  }

  @Test func `a rate is valid until the next one, up to a maximum`() throws {
    let series = Self.series([(0, 60), (5, 120), (100, 90)])
    let window = try #require(Window(start: 0, end: 200))
    // The known times are 5 s at a rate of 60, 10 s at 120, and 10 s at 90.
    #expect(series.knownTime(in: window) == 25)
    #expect(isClose(series.mean(in: window) ?? 0, 2400.0 / 25))
    let part = try #require(Window(start: 3, end: 7))
    #expect(series.knownTime(in: part) == 4)
    #expect(isClose(series.mean(in: part) ?? 0, 90))
    let gap = try #require(Window(start: 20, end: 99))
    #expect(series.knownTime(in: gap) == 0 && series.mean(in: gap) == nil)
  }

  @Test(arguments: [0, -5, .nan, .infinity, 1001]) func `an invalid rate is no reading`(rate: Double) {
    #expect(HeartRateReading(time: 0, beatsPerMinute: rate) == nil)
    #expect(HeartRateReading(time: .nan, beatsPerMinute: 60) == nil)
  }

  @Test func `no readings and readings at one instant do not trap`() throws {
    let window = try #require(Window(start: 0, end: 100))
    let none = Self.series([])
    #expect(none.mean(in: window) == nil && none.knownTime(in: window) == 0)
    #expect(Self.series([(0, 60)], longestHold: .nan).knownTime(in: window) == 10)
  }

  @Test(arguments: [[60.0, 80, 90], [90, 80, 60], [80, 90, 60], [90, 60, 80]])
  func `of readings at one instant the highest counts, in any order`(rates: [Double]) throws {
    let series = Self.series([(-5, 50)] + rates.map { (0, $0) } + [(4, 70)])
    let window = try #require(Window(start: 0, end: 4))
    #expect(series.knownTime(in: window) == 4 && isClose(series.mean(in: window) ?? 0, 90))
    let zones = try #require(HeartRateZones(bounds: [85]))
    #expect(series.time(in: zones, during: window) == [0, 4])
  }
}
