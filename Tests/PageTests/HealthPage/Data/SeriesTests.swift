import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the points of a chart.
@Suite(.timeLimit(.minutes(30))) struct SeriesTests {
  private func series(
    _ client: PageClient, from: Double, to: Double, pixels: Int, source: String? = nil
  ) async throws -> SeriesResponse {
    let chosen = source.map { "&source=\($0)" } ?? ""
    let answer = try await client.get(
      "/api/series?type=heartRate&from=\(time(from))&to=\(time(to))&pixels=\(pixels)\(chosen)")
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.decoded(SeriesResponse.self)
  }

  @Test func `a spike of one sample is visible, however few the pixels are`() async throws {
    let store = try PageStore()
    var rates = [Double](repeating: 60, count: 20_000)
    rates[12_345] = 211
    rates[777] = 33
    try await store.save(rates)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      for pixels in [1, 7, 100] {
        let series = try await series(client, from: 0, to: 20_000, pixels: pixels)
        #expect(series.form == .ranges && (series.low?.count ?? .max) <= pixels + 1)
        #expect(series.high?.compactMap(\.self).max() == 211)
        #expect(series.low?.compactMap(\.self).min() == 33)
        #expect(series.count?.reduce(0, +) == 20_000)
        let (start, step) = (try #require(series.start), try #require(series.step))
        let place = try #require(series.high?.firstIndex(of: 211))
        let time = (1_700_000_000 + 12_345) * 1000.0
        #expect(start + Double(place) * step <= time && time < start + Double(place + 1) * step)
      }
    }
  }

  @Test func `days are those of the time zone, and weeks begin on the requested day`()
    async throws
  {
    let store = try PageStore()
    let first = Date(timeIntervalSince1970: 1_792_706_400)  // 2026-10-23 00:00 in Berlin
    let unit = HKUnit(from: "count/min")
    try await store.system.healthStore.acting(as: .strap).save(
      (0..<97).map { hour in
        let time = first + Double(hour) * 3600
        return HKQuantitySample(
          type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: unit, doubleValue: 60), start: time,
          end: time)
      })
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func intervals(_ query: String) async throws -> [StatisticsView] {
        try await client.get("/api/statistics?type=heartRate&\(query)").decoded(IntervalsResponse.self)
          .intervals
      }
      let days = try await intervals("every=1d&zone=Europe/Berlin")
      // The third day has 25 hours, because the clocks go back.
      #expect(days.map(\.count) == [24, 24, 25, 24])
      #expect(days.map(\.start) == [0.0, 24, 48, 73].map { first + $0 * 3600 })
      let monday = first - 4 * 86_400
      let weeks = try await intervals("every=7d&zone=Europe/Berlin&from=\(Timestamp.text(monday))")
      #expect(weeks.map(\.start) == [monday, monday + (7 * 24 + 1) * 3600])
      #expect(weeks.map(\.count) == [73, 24])
    }
  }

  @Test func `a range without samples has no points`() async throws {
    let store = try PageStore()
    try await store.save([Double](repeating: 60, count: 2000))
    try await store.save([Double](repeating: 70, count: 2000), from: 8000)
    try await ServedPage.serve(store.page()) { page in
      let series = try await series(page.entered(), from: 0, to: 10_000, pixels: 100)
      let low = try #require(series.low)
      #expect(low[..<20] == ArraySlice([Double?](repeating: 60, count: 20)))
      #expect(low[20..<80].allSatisfy { $0 == nil } && series.count?[20..<80].allSatisfy { $0 == 0 } == true)
      #expect(low[80..<100].allSatisfy { $0 == 70 })
    }
  }

  @Test func `few samples are returned singly with their sources`() async throws {
    let store = try PageStore()
    try await store.save([60, 61, 62])
    try await store.save([80, 81], from: 0.5, as: .watch)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let both = try await series(client, from: 0, to: 10, pixels: 100)
      #expect(both.form == .samples)
      #expect(both.value == [60, 80, 61, 81, 62])
      #expect(both.from?.map { both.sources?[$0].name } == ["Strap", "Watch", "Strap", "Watch", "Strap"])
      #expect(both.time?.first == 1_700_000_000_000 && both.end == nil)
      let one = try await series(client, from: 0, to: 10, pixels: 100, source: "com.example.watch")
      #expect(one.value == [80, 81] && one.statistics.count == 2)
      let part = try await series(client, from: 1, to: 2, pixels: 100)
      #expect(part.value == [61, 81])
    }
  }

  @Test func `the part of a sample that is inside the range is drawn`() async throws {
    let store = try PageStore()
    try await store.system.healthStore.acting(as: .watch).save(
      [(-60.0, 60.0, 150.0), (-90, 0, 200), (70, 70, 90)].map { start, end, rate in
        HKQuantitySample(
          type: HKQuantityType(.heartRate),
          quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: rate), start: moment(start),
          end: moment(end))
      })
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let series = try await series(client, from: 0, to: 100, pixels: 100)
      #expect(series.value == [150, 90] && series.statistics.max == 150)
      #expect(series.time == [-60, 70].map { (1_700_000_000 + $0) * 1000 })
      #expect(series.end == [60, 70].map { (1_700_000_000 + $0) * 1000 })
    }
  }

  @Test func `steps are never shorter than a pixel, and whole hours from an hour on`() {
    for (duration, pixels) in [(10.0, 100), (86_400, 1000), (3e6, 777), (3.2e7, 1000), (3.2e8, 1)] {
      let span = DateInterval(start: moment(123.5), duration: duration)
      let step = Step(span, pixels: pixels)
      #expect(step.count <= pixels + 1 && step.seconds >= 1)
      #expect(step.place(of: span.start) == 0)
      #expect(step.place(of: span.end - 0.001) == step.count - 1)
      if step.seconds >= 3600 {
        #expect(step.seconds % 3600 == 0)
        #expect(step.start.timeIntervalSince1970.truncatingRemainder(dividingBy: 3600) == 0)
      }
    }
  }

  @Test(arguments: [
    "", "type=heartRate", "type=heartRate&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z",
    "type=heartRate&from=1970-01-01T00:00:02Z&to=1970-01-01T00:00:01Z&pixels=5",
    "type=heartRate&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z&pixels=0",
    "type=heartRate&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z&pixels=2001",
    "type=heartRate&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z&pixels=x",
    "type=heartRate&from=1&to=2&pixels=5",
    "type=heartRate&from=2026-02-30T00:00:00Z&to=2026-03-30T00:00:00Z&pixels=5",
    "type=heartbeatSeries&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z&pixels=5",
    "type=heartRate&from=%ff&to=1970-01-01T00:00:02Z&pixels=5",
  ])
  func `an invalid request is answered with a sentence`(query: String) async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let answer = try await page.entered().get("/api/series?\(query)")
      #expect(answer.status == 400, "\(answer.text)")
      let message = try answer.object()["message"] as? String
      #expect(message?.hasSuffix(".") == true)
    }
  }

  @Test func `figures equal HealthKit's statistics to the last bit`() async throws {
    var generator = SeededGenerator(seed: 18)
    let store = try PageStore()
    let rates = (0..<3000).map { _ in Double.random(in: 40...200, using: &generator) }
    try await store.save(rates)
    try await ServedPage.serve(store.page()) { [healthStore = store.system.healthStore] page in
      let client = try await page.entered()
      let answer = try await client.get("/api/statistics?type=heartRate&from=\(time(100))&to=\(time(2000))")
        .decoded(StatisticsView.self)
      let unit = HKUnit(from: "count/min")
      let found = try await HKStatisticsQueryDescriptor(
        predicate: .quantitySample(
          type: HKQuantityType(.heartRate),
          predicate: HKQuery.predicateForSamples(
            withStart: moment(100), end: moment(2000), options: .strictStartDate)),
        options: [.discreteMin, .discreteMax, .discreteAverage]
      ).result(for: healthStore)
      let statistics = try #require(found)
      #expect(answer.count == 1900)
      #expect(answer.min == statistics.minimumQuantity()?.doubleValue(for: unit))
      #expect(answer.max == statistics.maximumQuantity()?.doubleValue(for: unit))
      #expect(answer.average == statistics.averageQuantity()?.doubleValue(for: unit))
      #expect(answer.latest?.value == rates[1999] && answer.sources?.map(\.name) == ["Strap"])
      let none = try await client.get(
        "/api/statistics?type=heartRate&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z"
      ).decoded(
        StatisticsView.self)
      #expect(none.count == 0 && none.average == nil && none.latest == nil)
    }
  }

  @Test func `the number of intervals is at most 5,000`() async throws {
    let store = try PageStore()
    try await store.save([60])
    try await store.save([61], from: 6000)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      #expect(try await client.get("/api/statistics?type=heartRate&every=1s").status == 400)
      let answer = try await client.get("/api/statistics?type=heartRate&every=1h&zone=Europe/Berlin")
        .decoded(IntervalsResponse.self)
      #expect(answer.intervals.map(\.count).reduce(0, +) == 2)
      for wrong in ["every=0h", "every=h", "every=1y", "every=1h&zone=Nowhere/None"] {
        #expect(try await client.get("/api/statistics?type=heartRate&\(wrong)").status == 400, "\(wrong)")
      }
    }
  }
}
