import HeartRateVariability
import Testing

@Suite struct RestingHeartRateTests {
  /// A day of readings every five seconds: a heart rate of 80, except 50 for ten minutes at 03:00 and 45 for
  /// two minutes at 05:00.
  private let day = (0..<17_280).map { number in
    let time = Double(number) * 5
    return (time, 10_800..<11_400 ~= time ? 50.0 : 18_000..<18_120 ~= time ? 45 : 80)
  }

  private func rest(
    _ rates: [(Double, Double)], excluding excluded: [Window?] = []
  ) throws -> RestingHeartRate {
    let window = try #require(Window(start: 0, end: 86_400))
    return try HeartRateSeriesTests.series(rates).restingHeartRate(
      in: window, excluding: excluded.compactMap(\.self))
  }

  @Test func `the resting rate is the lowest mean of five minutes, not the lowest reading`() throws {
    let rest = try rest(day)
    #expect(isClose(rest.beatsPerMinute, 50) && rest.window == Window(start: 10_800, end: 11_100))
    #expect(rest.windows == 1436)
  }

  @Test func `windows that touch an excluded time do not count`() throws {
    let rest = try rest(
      day, excluding: [Window(start: 11_000, end: 11_010), Window(start: 10_800, end: 10_900), nil])
    // The earliest window with all five minutes at a rate of 50 starts at 11,040 s.
    #expect(isClose(rest.beatsPerMinute, 50) && rest.window.start == 11_040)
    let without = try self.rest(day, excluding: [Window(start: 10_000, end: 12_000)])
    #expect(isClose(without.beatsPerMinute, 66))
  }

  @Test func `five minutes count if at most a fifth is missing`() throws {
    func lowest(_ seconds: Double) throws -> RestingHeartRate {
      try rest(stride(from: 0, to: seconds, by: 5).map { ($0, 60) })
    }
    #expect(try lowest(235).windows == 1)
    let error = #expect(throws: MeasureError.self) { try lowest(225) }
    #expect(error?.reason == .noHeartRate)
  }

  @Test func `a window without an end is refused with a reason`() throws {
    let ever = try #require(Window(start: 0, end: 1e11))
    let series = HeartRateSeriesTests.series(day)
    #expect(refusal { () throws(MeasureError) in try series.restingHeartRate(in: ever) } == .windowTooLong)
  }

  @Test func `recomputed minutes change no others, at either edge`() throws {
    let hour = try #require(Window(start: 0, end: 3600))
    let first = HeartRateSeriesTests.series((0..<3600).map { (Double($0), 80) })
    let other = HeartRateSeriesTests.series((0..<3600).map { (Double($0), 50) })
    func made(of range: Range<Int>) throws -> HeartRateMinutes {
      var minutes = try HeartRateMinutes(of: hour)
      minutes.replace(minutes.indices, by: first)
      minutes.replace(range, by: other)
      return minutes
    }
    // Four minutes at 50 and one at 80 on either side. If five minutes were at 50, the mean would not contain
    // any 80.
    for range in [20..<24, 0..<4, 56..<60] {
      let minutes = try made(of: range)
      #expect(minutes.knownCount == 60)
      #expect(try isClose(minutes.restingHeartRate().beatsPerMinute, 56))
    }
    let five = try made(of: 20..<25).restingHeartRate()
    #expect(isClose(five.beatsPerMinute, 50) && five.window == Window(start: 1200, end: 1500))
    // If the source has no more data for these minutes, their earlier readings are removed.
    var minutes = try made(of: 20..<24)
    minutes.replace(20..<24, by: HeartRateSeriesTests.series([]))
    #expect(try minutes.knownCount == 56 && isClose(minutes.restingHeartRate().beatsPerMinute, 80))
    // Readings outside of the day are skipped.
    minutes.replace(-5..<1, by: other)
    minutes.replace(59..<70, by: other)
    #expect(minutes.knownCount == 56)
  }
}
