import HeartRateVariability
import Testing

@Suite struct HeartRateRecoveryTests {
  private func recovery(_ rates: [(Double, Double)]) throws(MeasureError) -> HeartRateRecovery {
    try HeartRateSeriesTests.series(rates, longestHold: 5).recovery(afterExerciseEndingAt: 1000)
  }

  /// Heart rates of 150 before the end of exercise, 160 just after it, and then falling by one per second.
  private let fall = (0..<200).map { number in
    let time = 900 + Double(number)
    return (time, time <= 1000 ? 150 : time <= 1008 ? 160 : max(160 - (time - 1008), 90))
  }

  @Test func `recovery is the peak around the end minus the mean a minute later`() throws {
    let recovery = try recovery(fall)
    #expect(recovery.peak == 160)
    // The mean of the readings from 1055 to 1064 s, each lasting one second.
    let mean = (1055...1064).map { 1168 - Double($0) }.reduce(0, +) / 10
    #expect(isClose(recovery.afterOneMinute, mean) && isClose(recovery.fall, 160 - mean))
  }

  @Test func `a peak long before the end of exercise is ignored`() throws {
    for (time, peak) in [(960.0, 160.0), (975, 190), (1011, 160)] {
      #expect(try recovery(fall + [(time, 190)]).peak == peak)
    }
  }

  @Test func `without readings, or without a fall, it is refused with a reason`() {
    #expect(refusal { () throws(MeasureError) in try recovery([]) } == .noHeartRate)
    #expect(refusal { () throws(MeasureError) in try recovery(fall.filter { $0.0 > 1020 }) } == .noHeartRate)
    #expect(refusal { () throws(MeasureError) in try recovery(fall.filter { $0.0 < 1050 }) } == .noHeartRate)
    #expect(refusal { () throws(MeasureError) in try recovery(fall.map { ($0.0, 100) }) } == .noRecovery)
    let series = HeartRateSeriesTests.series(fall)
    for end in [Double.nan, .infinity, -.infinity, 1e300] {
      #expect(
        refusal { () throws(MeasureError) in try series.recovery(afterExerciseEndingAt: end) } == .noHeartRate
      )
    }
  }

  @Test(arguments: [0, 1_763_700_000.1, 1e9 / 3]) func `a constant rate does not fall by rounding`(
    begin: Double
  ) {
    let series = HeartRateSeriesTests.series((-1000..<90).map { (begin + Double($0) * 1.1, 159.7) })
    #expect(
      refusal { () throws(MeasureError) in try series.recovery(afterExerciseEndingAt: begin) } == .noRecovery)
  }
}
