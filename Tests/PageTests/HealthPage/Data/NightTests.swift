import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the rule by which sleep samples are grouped into nights.
@Suite(.timeLimit(.minutes(30))) struct NightTests {
  private func calendar(_ zone: String) throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    return calendar
  }

  private func sample(
    _ stage: SleepStage, _ start: String, _ end: String, by source: HKSource = .watch
  ) throws -> SleepNights.Sample {
    SleepNights.Sample(
      stage: stage, start: try #require(Timestamp.parse(start)), end: try #require(Timestamp.parse(end)),
      source: source)
  }

  /// Returns the number of periods of each day, by the start of the day.
  private func days(_ samples: [SleepNights.Sample], in zone: String) throws -> [String: Int] {
    let days = SleepNights(samples, in: try calendar(zone)).days
    return Dictionary(uniqueKeysWithValues: days.map { (Timestamp.text($0.key), $0.value.count) })
  }

  @Test func `a night belongs to the day of waking, whenever it begins`() throws {
    let before = try sample(.core, "2026-11-22T22:30:00Z", "2026-11-23T05:00:00Z")
    let after = try sample(.core, "2026-11-24T00:30:00Z", "2026-11-24T07:00:00Z")
    #expect(
      try days([before, after], in: "Europe/Berlin")
        == ["2026-11-22T23:00:00.000000Z": 1, "2026-11-23T23:00:00.000000Z": 1])
  }

  @Test func `the day is that of the reader's time zone`() throws {
    let night = try sample(.core, "2026-11-22T22:30:00Z", "2026-11-23T05:00:00Z")
    // In Los Angeles the sleep ends at 21:00, so it belongs to the next day.
    #expect(try days([night], in: "America/Los_Angeles") == ["2026-11-23T08:00:00.000000Z": 1])
    // In Auckland it ends at 18:00, so it belongs to the next day. In Brisbane it ends at 15:00, so it does
    // not.
    #expect(try days([night], in: "Pacific/Auckland") == ["2026-11-23T11:00:00.000000Z": 1])
    #expect(try days([night], in: "Australia/Brisbane") == ["2026-11-22T14:00:00.000000Z": 1])
  }

  @Test func `a period that ends at 18 o'clock belongs to the next day`() throws {
    let day = "2026-06-10T00:00:00.000000Z"
    let next = "2026-06-11T00:00:00.000000Z"
    let early = try sample(.core, "2026-06-10T16:00:00Z", "2026-06-10T17:59:59Z")
    let late = try sample(.core, "2026-06-10T16:00:00Z", "2026-06-10T18:00:00Z")
    #expect(try days([early], in: "GMT") == [day: 1])
    #expect(try days([late], in: "GMT") == [next: 1])
  }

  @Test func `clock changes move the day, and not the duration`() throws {
    // The clocks go back at 3:00 on 25 October, and forward at 2:00 on 29 March.
    let autumn = try sample(.core, "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z")
    let spring = try sample(.core, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z")
    let zone = try calendar("Europe/Berlin")
    for (night, day, hours) in [
      (autumn, "2026-10-24T22:00:00.000000Z", 9.0), (spring, "2026-03-28T23:00:00.000000Z", 7.0),
    ] {
      let found = SleepNights([night], in: zone).days
      #expect(found.keys.map { Timestamp.text($0) } == [day])
      #expect(found.values.first?.first?.asleep == hours * 3600)
    }
    // In Santiago this day has no midnight, and begins at 1:00.
    let night = try sample(.core, "2026-09-06T02:00:00Z", "2026-09-06T10:00:00Z")
    #expect(try days([night], in: "America/Santiago") == ["2026-09-06T04:00:00.000000Z": 1])
    // Sleep in the evening before belongs to the same day.
    let evening = try sample(.core, "2026-09-05T21:00:00Z", "2026-09-05T23:00:00Z")
    #expect(try days([evening], in: "America/Santiago") == ["2026-09-06T04:00:00.000000Z": 1])
  }

  @Test func `a break of two hours is part of the night, and a longer one ends the period`() throws {
    let first = try sample(.core, "2026-06-10T00:00:00Z", "2026-06-10T02:00:00Z")
    let near = try sample(.core, "2026-06-10T04:00:00Z", "2026-06-10T09:00:00Z")
    let far = try sample(.core, "2026-06-10T04:00:01Z", "2026-06-10T09:00:00Z")
    #expect(try days([first, near], in: "GMT").values.map { $0 } == [1])
    #expect(try days([first, far], in: "GMT").values.map { $0 } == [2])
    let periods = try #require(SleepNights([first, far], in: try calendar("GMT")).days.values.first)
    #expect(SleepNights.night(among: periods) == 1)
    #expect(SleepNights.night(among: []) == nil)
  }

  @Test func `stages are those of one source, and an instant has one stage`() throws {
    let phone = HKSource(name: "Phone", bundleIdentifier: "com.example.phone")
    let samples = [
      try sample(.inBed, "2026-06-10T00:00:00Z", "2026-06-10T08:00:00Z", by: phone),
      try sample(.unspecified, "2026-06-10T00:30:00Z", "2026-06-10T08:00:00Z", by: phone),
      try sample(.inBed, "2026-06-10T00:30:00Z", "2026-06-10T08:10:00Z"),
      try sample(.unspecified, "2026-06-10T01:00:00Z", "2026-06-10T07:00:00Z"),
      try sample(.core, "2026-06-10T01:00:00Z", "2026-06-10T03:00:00Z"),
      try sample(.deep, "2026-06-10T02:00:00Z", "2026-06-10T03:00:00Z"),
      try sample(.awake, "2026-06-10T02:30:00Z", "2026-06-10T02:40:00Z"),
      try sample(.rem, "2026-06-10T03:00:00Z", "2026-06-10T04:00:00Z"),
    ]
    let period = try #require(SleepNights(samples, in: try calendar("GMT")).days.values.first?.first)
    #expect(period.source == .watch)
    #expect(period.stages.map(\.stage) == [.core, .deep, .awake, .deep, .rem, .unspecified])
    #expect(period.stages.map { $0.duration / 60 } == [60, 30, 10, 20, 60, 180])
    #expect(period.asleep / 60 == 350)
    // The times in bed of both sources overlap. Together they are from 0:00 to 8:10.
    #expect(period.inBed.map { $0.duration / 60 } == [490])
    #expect(period.seconds[.deep] == 3000)
    // If no source has detailed stages, the one with the longer sleep is used.
    let plain = SleepNights(samples.filter { !$0.stage.isDetailed }, in: try calendar("GMT"))
    #expect(plain.days.values.first?.first?.source == phone)
  }

  @Test func `the page gets nights with naps and the time of the lowest heart rate`() async throws {
    let store = try PageStore()
    let night = try #require(Timestamp.parse("2026-11-22T22:30:00Z"))
    func save(_ value: HKCategoryValueSleepAnalysis, _ start: Double, _ end: Double) -> HKCategorySample {
      HKCategorySample(
        type: HKCategoryType(.sleepAnalysis), value: value.rawValue, start: night + start, end: night + end)
    }
    func rate(_ rate: Double, _ time: Double) -> HKQuantitySample {
      heartRate(rate, at: (night + time).timeIntervalSince(moment()))
    }
    try await store.system.healthStore.acting(as: .watch).save([
      save(.inBed, 0, 28_800), save(.asleepCore, 1800, 9000), save(.awake, 9000, 9600),
      save(.asleepREM, 9600, 27_000), save(.asleepUnspecified, 50_000, 52_000),
      // The lowest heart rate of the night is 48, and it occurs twice. Lower ones are outside of the night.
      rate(60, 100), rate(48, 8000), rate(48, 20_000), rate(90, 21_000), rate(40, -100), rate(41, 28_801),
    ])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let days = "from=2026-11-09T23:00:00Z&to=2026-11-23T23:00:00Z&zone=Europe/Berlin"
      let answer = try await client.get("/api/nights?\(days)&lowest=yes").decoded(NightsResponse.self)
      let found = try #require(answer.nights.first)
      #expect(answer.nights.count == 1 && answer.unit == "count/min")
      #expect(Timestamp.text(found.from) == "2026-11-22T23:00:00.000000Z")
      #expect(found.start == night && found.end == night + 28_800)
      #expect(found.asleep == NightsResponse.Part(start: night + 1800, end: night + 27_000))
      #expect(found.stages.map(\.stage) == [.core, .awake, .rem])
      #expect(
        found.seconds
          == ["inBed": 28_800, "core": 7200, "awake": 600, "rem": 17_400, "asleep": 24_600])
      #expect(found.lowest == TimedValue(value: 48, time: night + 8000))
      #expect(found.naps.map(\.asleep) == [2000] && found.name == "Watch")
      let without = try await client.get("/api/nights?\(days)").decoded(NightsResponse.self)
      #expect(without.nights.first?.lowest == nil)
      // A query for the next day does not return this night.
      let other = "from=2026-11-23T23:00:00Z&to=2026-11-24T23:00:00Z&zone=Europe/Berlin"
      #expect(try await client.get("/api/nights?\(other)").decoded(NightsResponse.self).nights.isEmpty)
      let years = "from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z"
      #expect(try await client.get("/api/nights?\(years)").status == 400)
      #expect(try await client.get("/api/nights?zone=Nowhere&\(days)").status == 400)
    }
  }
}
