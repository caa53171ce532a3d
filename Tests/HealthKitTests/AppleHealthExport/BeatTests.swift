import Foundation
import HealthKit
import HealthStorage
import Testing

@testable import AppleHealthExport
@testable import TestSupport

/// Tests converting the times of day of an export to times, for any time zone and language of the phone.
struct BeatClockTests {
  /// 2026-01-10 06:47:40 UTC.
  private let start: Int64 = 1_768_027_660_000_000

  private func times(_ clock: [String], after second: Int64 = 0, seconds: Int64 = 60, zone: Int = 0)
    -> [Int64]?
  {
    let record = BeatClock.Record(
      start: start + second * 1_000_000, end: start + (second + seconds) * 1_000_000, zone: zone)
    let parsed = clock.compactMap(ClockTime.init)
    guard parsed.count == clock.count else { return nil }
    return BeatClock.times(of: parsed, in: record)?.map { $0 - start }
  }

  private func clock(_ time: Int64, offset: Int64, hours: Int64) -> String {
    let hundredths = (time / 10_000 + offset * 100) % (86_400 * 100)
    let hour = hundredths / 360_000 % hours
    let shown = hours == 12 && hour == 0 ? 12 : hour
    return String(
      format: "%02d:%02d:%02d,%02d", shown, hundredths / 6000 % 60, hundredths / 100 % 60, hundredths % 100)
  }

  @Test(arguments: [12, 24] as [Int64], [0, 7200, -28_800, 45_900])
  func `the beats of a minute are found in every time zone, across hours and midnight`(
    hours: Int64, zone: Int
  ) {
    for offset in stride(from: -12 * 3600, through: 14 * 3600, by: 900) as StrideThrough<Int64> {
      for second in [0, 725, 12 * 60 + 15, 4325, 47_925, 62_325] as [Int64] {
        let beats = (1...50).map { second * 1_000_000 + $0 * 1_130_000 }
        let stated = beats.map { clock(start + $0, offset: offset, hours: hours) }
        #expect(times(stated, after: second, zone: zone) == beats, "\(offset) s, \(second) s")
      }
    }
  }

  @Test(arguments: [
    "7:47:41.86 AM", "07:47:41,86", "7:47:41.86\u{202F}am", "07:47:41.860000", "7:47:41.86 a. m.",
    "7:47:41,86 μ.μ.", "下午7:47:41.86", "오후 7:47:41.86", "7:47:41,86 CH", "7:47:41,86 em", "du. 7:47:41,86",
    "٧:٤٧:٤١٫٨٦ م", "\u{200F}٠٧:٤٧:٤١٫٨٦", "۷:۴۷:۴۱٫۸۶ ب.ظ.", "७:४७:४१.८६ pm", "๗:๔๗:๔๑.๘๖", "𝟕:𝟒𝟕:𝟒𝟏.𝟖𝟔",
    "7.47.41,86", "7 h 47 min 41,86 s", "19:47:41.86", "1:47:41.86",
  ])
  func `a time of day is read in any language`(text: String) {
    #expect(times([text]) == [1_860_000])
  }

  @Test(arguments: [
    "", "a:b:c", "7:47", "25:47:41.86", "7:60:41.86", "7:47:60", "7:47:41.1234567", "1:2:3:4:5", "Ⅶ:47:41",
  ])
  func `an invalid time of day is rejected`(text: String) {
    #expect(times([text]) == nil)
  }

  @Test func `a time may have no fraction, or one of any length`() {
    #expect(times(["07:47:42", "07:47:43.5", "07:47:44.123456"]) == [2_000_000, 3_500_000, 4_123_456])
  }

  @Test func `a list that fits its record with no offset is rejected`() {
    for text in ["07:46:10", "07:48:50", "07:40:00", "07:55:00", "08:00:00"] {
      #expect(times([text]) == nil, "\(text)")
    }
    // These time zones have offsets of half an hour and of three quarters of an hour.
    for text in ["07:17:41", "07:32:41", "07:02:41"] { #expect(times([text]) == [1_000_000], "\(text)") }
  }

  @Test func `an unsorted list is rejected`() {
    #expect(times(["07:47:42", "07:47:41"]) == nil)
    #expect(times(["07:47:42", "07:47:42"]) == nil)
    #expect(times(["07:47:42", "07:57:43"]) == nil)
  }

  @Test func `times are truncated to seconds, so a beat may lie slightly outside`() {
    #expect(times(["07:47:39.50"]) == [-500_000])
    #expect(times(["07:47:41", "07:48:40.90", "07:48:41.90"]) == [1_000_000, 60_900_000, 61_900_000])
  }

  @Test func `the clock may be set between two beats`() {
    // The clock is set to summer time, back, by half an hour, and to another time zone during a flight.
    for (first, second) in [
      ("01:59:59", "03:00:00"), ("02:59:59", "02:00:00"), ("01:59:59", "02:30:00"), ("11:59:59", "19:45:00"),
    ] {
      let stated = [first, second, second.dropLast() + "1"].map { String($0) }
      let found = times(stated, after: 700, seconds: 60)
      #expect(found == [739_000_000, 740_000_000, 741_000_000] as [Int64], "\(first) \(second)")
    }
  }

  @Test func `noon and midnight on a 12-hour clock may be 0 or 12`() {
    for (before, after) in [("11:59:59", "12:00:00"), ("11:59:59", "0:00:00"), ("12:59:59", "1:00:00")] {
      #expect(times([before, after], after: 700) == [739_000_000, 740_000_000], "\(before) \(after)")
    }
  }

  @Test func `in a long record, the record's time zone determines the hour`() {
    #expect(times(["08:47:41", "11:02:00"], seconds: 20_000, zone: 3600) == [3_601_000_000, 11_660_000_000])
    #expect(times(["08:47:41"], seconds: 1 << 40, zone: 3600) == [3_601_000_000])
  }
}

/// Tests series that are imported from variability records, and series that earlier versions imported.
struct ImportedBeatsTests {
  private func record(
    _ start: String, _ end: String, _ times: [String], value: String = "45.2", source: String = "Watch"
  ) -> String {
    let beats = times.map { #"<InstantaneousBeatsPerMinute bpm="60" time="\#($0)"/>"# }.joined()
    return
      #"<Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="\#(source)" unit="ms" startDate="\#(start)" endDate="\#(end)" value="\#(value)"><HeartRateVariabilityMetadataList>\#(beats)</HeartRateVariabilityMetadataList></Record>"#
  }

  private let clock = ["07:47:41,86", "07:47:42,86", "07:47:43,86"]
  private var summer: String { record("2026-01-10 08:47:40 +0200", "2026-01-10 08:48:40 +0200", clock) }
  private var winter: String { record("2026-01-10 07:47:40 +0100", "2026-01-10 07:48:40 +0100", clock) }
  /// 2026-01-10 06:47:40.86 UTC.
  private let first = 1_768_027_660.86

  private func series(in store: HKHealthStore) async throws -> [HKHeartbeatSeriesSample] {
    try await samples(in: store).compactMap { $0 as? HKHeartbeatSeriesSample }
  }

  @Test func `the same record has the same beats in every export`() async throws {
    let travel = record("2026-01-09 22:47:40 -0800", "2026-01-09 22:48:40 -0800", clock)
    let afternoon = record("2026-01-10 07:47:40 +0100", "2026-01-10 07:48:40 +0100", clock.map { "下午" + $0 })
    for order in [[summer, winter, travel, afternoon], [travel, winter], [afternoon, summer]] {
      let store = try emptyStore()
      for (index, record) in order.enumerated() {
        let outcome = try await importing(export(record), into: store)
        #expect(
          outcome.stored == (index == 0 ? 2 : 0) && outcome.isBalanced && outcome.records.problems.isEmpty)
      }
      let series = try await series(in: store)
      #expect(series.map { Microseconds.clamped($0.startDate) } == [Int64(first * 1e6)])
      #expect(series.first?.heartbeats?.map(\.timeIntervalSinceStart) == [0, 1, 2, 3])
    }
  }

  @Test func `beats outside their record are counted, and the record is stored`() async throws {
    let store = try emptyStore()
    let outside = record("2026-01-10 07:47:40 +0100", "2026-01-10 07:48:40 +0100", ["07:40:00,00"])
    let outcome = try await importing(export(outside + summer), into: store)
    #expect(outcome.records.problems == [.beats: 1] && outcome.isBalanced)
    #expect(try await series(in: store).count == 1)
  }

  /// Returns a series as version 0baeb95c stored it. Its UUID is derived from the times that this version
  /// computed.
  private func earlierSeries(at start: Double, _ offsets: [Double]) throws -> HKHeartbeatSeriesSample {
    var identity = RecordIdentity()
    let microseconds = Int64((start * 1e6).rounded())
    let uuid = identity.uuid(
      type: HKSeriesType.heartbeat().identifier, source: "Watch", start: microseconds,
      end: microseconds + Int64((offsets.last ?? 0) * 1e6), content: RecordIdentity.content(offsets.count))
    return try HKHeartbeatSeriesSample(
      uuid: uuid, start: Date(timeIntervalSince1970: start),
      beats: offsets.map { .init(timeIntervalSinceStart: $0, precededByGap: false) }, device: nil,
      metadata: nil)
  }

  private func save(_ series: [HKSample], of source: String = "Watch", in store: HKHealthStore) async throws {
    let revision = HKSourceRevision(
      source: HKSource(name: source, bundleIdentifier: RecordIdentity.bundleIdentifier(ofSource: source)),
      version: nil)
    _ = try await store.saveNew([(revision, series)])
  }

  @Test(
    arguments: [
      // The errors, in seconds, of the series that an earlier version stored for the record: an hour, half a
      // day, a time zone, or several series with different errors. 0 is correct.
      [3600], [3600, 0], [-3600, 0], [43_200, -43_200], [-32_400], [1800, 900], [0],
    ] as [[Double]])
  func `an import replaces the series that an earlier version stored for a record`(shifts: [Double])
    async throws
  {
    let store = try emptyStore()
    try await save(shifts.map { try earlierSeries(at: first + $0, [0, 1, 2, 3]) }, in: store)
    let outcome = try await importing(export(summer), into: store)
    #expect(outcome.replacing == 1 && outcome.stored == 1 && outcome.isBalanced)
    let series = try await series(in: store)
    #expect(series.map { Microseconds.clamped($0.startDate) } == [Int64(first * 1e6)])
    let again = try await importing(export(winter), into: store)
    #expect(again.present == 2 && again.isBalanced)
    #expect(try await self.series(in: store).map(\.uuid) == series.map(\.uuid))
  }

  /// The list goes from 12 to 1 o'clock. An earlier version did not recognize its PM markers and split the
  /// series.
  @Test func `a series that was split is replaced, too`() async throws {
    let store = try emptyStore()
    let torn = try earlierSeries(at: first, [0, 1, 43_201, 43_202])
    try await save([torn], in: store)
    let outcome = try await importing(
      export(record("2026-01-10 07:47:40 +0100", "2026-01-10 07:48:40 +0100", Array(clock.prefix(2)))),
      into: store)
    #expect(outcome.replacing == 1)
    #expect(try await series(in: store).map(\.count) == [3])
  }

  @Test func `other series are kept`() async throws {
    let store = try emptyStore()
    let others = [
      // Series that belong to other records.
      try earlierSeries(at: first + 601, [0, 1, 2, 3]), try earlierSeries(at: first + 3600, [0, 1, 2]),
      try earlierSeries(at: first + 40 * 3600, [0, 1, 2, 3]),
      // A series that another program has saved.
      try HKHeartbeatSeriesSample(
        uuid: UUID(), start: Date(timeIntervalSince1970: first + 3600),
        beats: [0, 1, 2, 3].map { .init(timeIntervalSinceStart: $0, precededByGap: false) }, device: nil,
        metadata: nil),
    ]
    try await save(others, in: store)
    try await save([try earlierSeries(at: first + 7200, [0, 1, 2, 3])], of: "Another", in: store)
    let outcome = try await importing(export(summer), into: store)
    #expect(outcome.replacing == 0 && outcome.stored == 2)
    #expect(try await series(in: store).count == 6)
  }

  /// Two other records had lists with the same minutes and seconds. The export now contains these records
  /// without their lists.
  @Test func `a series is replaced by the nearest matching record`() async throws {
    let store = try emptyStore()
    let others = ["2026-01-10 12:47:40 +0100", "2026-01-11 07:47:40 +0100"].map { start in
      record(start, start.replacing("47:40", with: "48:40"), [])
    }
    try await importing(export(others.joined()), into: store)
    try await save([1, 6, 24].map { try earlierSeries(at: first + $0 * 3600, [0, 1, 2, 3]) }, in: store)
    let outcome = try await importing(export(summer), into: store)
    #expect(outcome.replacing == 1)
    let starts = try await series(in: store).map { Microseconds.clamped($0.startDate) - Int64(first * 1e6) }
    #expect(starts.sorted() == [0, 6, 24].map { $0 * 3_600_000_000 })
  }

  @Test func `two records of the same minute are two series`() async throws {
    let store = try emptyStore()
    let other = record("2026-01-10 07:47:40 +0100", "2026-01-10 07:48:40 +0100", clock, source: "Ring")
    let later = record("2026-01-10 07:47:41 +0100", "2026-01-10 07:48:40 +0100", clock)
    let outcome = try await importing(export(summer + other + later), into: store)
    #expect(outcome.stored == 6)
    #expect(try await series(in: store).count == 3)
  }

  @Test func `imported samples keep their identities when exported and imported again`() async throws {
    let (first, second) = (try emptyStore(), try emptyStore())
    try await importing(export(summer), into: first)
    let outcome = try await importing(try await exported(first), into: second)
    #expect(outcome.stored == 2 && outcome.records.problems.isEmpty)
    #expect(try await stories(of: second) == stories(of: first))
    #expect(try await importing(export(winter), into: second).present == 2)
  }
}
