import Foundation
import HeartRateVariability
import Testing

@Suite struct HeartRateZonesTests {
  @Test func `zone bounds depend on the maximum or the reserve, or are given`() {
    #expect(HeartRateZones(ofMaximum: 200)?.bounds == [100, 120, 140, 160, 180])
    #expect(HeartRateZones(ofReserveFrom: 50, to: 200)?.bounds == [125, 140, 155, 170, 185])
    #expect(HeartRateZones(bounds: [110, 150])?.bounds == [110, 150])
    for bounds in [[], [0], [100, 100], [120, 100], [.nan], [100, .infinity]] {
      #expect(HeartRateZones(bounds: bounds) == nil)
    }
    #expect(HeartRateZones(ofReserveFrom: 200, to: 200) == nil)
    #expect(HeartRateZones(ofMaximum: .nan) == nil)
  }

  @Test func `a rate is in the highest zone whose bound it reaches`() {
    let zones = HeartRateZones(ofMaximum: 200)
    #expect([99.9, 100, 119, 120, 180, 250].map { zones?.zone(of: $0) } == [0, 1, 1, 2, 5, 5])
  }

  @Test func `time in zones counts only while the rate is known`() throws {
    let series = HeartRateSeriesTests.series([(0, 90), (5, 110), (10, 130), (15, 190), (100, 190)])
    let zones = try #require(HeartRateZones(ofMaximum: 200))
    let window = try #require(Window(start: 2, end: 105))
    #expect(series.time(in: zones, during: window) == [3, 5, 5, 0, 0, 15])
    #expect(series.time(in: zones, during: window).reduce(0, +) == series.knownTime(in: window))
    let later = try #require(Window(start: 12, end: 13))
    #expect(series.time(in: zones, during: later) == [0, 0, 1, 0, 0, 0])
  }

  @Test func `Banister's impulse matches a manual calculation`() throws {
    // 30 minutes at 80 % of the heart-rate reserve.
    let series = HeartRateSeriesTests.series((0..<1800).map { (Double($0), 170) })
    let window = try #require(Window(start: 0, end: 1800))
    let men = try #require(TrainingImpulse(resting: 50, maximum: 200, weighting: .men))
    let ofMen = 24 * 0.64 * exp(1.92 * 0.8)
    #expect(isClose(series.trainingImpulse(men, during: window), ofMen))
    let women = try #require(TrainingImpulse(resting: 50, maximum: 200, weighting: .women))
    let ofWomen = 24 * 0.86 * exp(1.67 * 0.8)
    #expect(isClose(series.trainingImpulse(women, during: window), ofWomen))
  }

  @Test func `below rest the impulse is 0, and above the maximum that of the maximum`() throws {
    let window = try #require(Window(start: 0, end: 10))
    let men = try #require(TrainingImpulse(resting: 60, maximum: 61, weighting: .men))
    #expect(HeartRateSeriesTests.series([(0, 50)]).trainingImpulse(men, during: window) == 0)
    #expect(
      HeartRateSeriesTests.series([(0, 1000)]).trainingImpulse(men, during: window)
        == HeartRateSeriesTests.series([(0, 61)]).trainingImpulse(men, during: window))
    #expect(TrainingImpulse(resting: 60, maximum: 60, weighting: .men) == nil)
    #expect(TrainingImpulse(resting: .nan, maximum: 60, weighting: .men) == nil)
    #expect(TrainingImpulse(resting: 60, maximum: .infinity, weighting: .men) == nil)
  }

  @Test func `Edwards' zones weigh one to five`() throws {
    // Ten minutes below all zones, and ten in each of the five zones.
    let rates = [90.0, 110, 130, 150, 170, 190]
    let series = HeartRateSeriesTests.series((0..<3600).map { (Double($0), rates[$0 / 600]) })
    let window = try #require(Window(start: 0, end: 3600))
    #expect(isClose(series.summatedZones(maximum: 200, during: window) ?? 0, 150))
    #expect(series.summatedZones(maximum: 0, during: window) == nil)
  }
}
