import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests that days, weeks and months are those of the local calendar.
@Suite struct LocalDayTests {
  private static let berlin = "Europe/Berlin"
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
  }

  private func save(_ rates: [(String, Double)], of type: HKQuantityTypeIdentifier = .heartRate) async throws
  {
    let samples = try rates.map { time, rate in
      let date = try Date(time, strategy: .iso8601)
      return HKQuantitySample(
        type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: rate),
        start: date, end: date)
    }
    try await HKHealthStore(storeAt: store).save(samples)
  }

  private func stats(_ arguments: String..., zone: String? = nil) throws -> [[String: Any]] {
    try Command.hrgate(
      ["stats", "--json", "--store", store] + arguments, environment: zone.map { ["TZ": $0] } ?? [:]
    ).objects()
  }

  private func averages(_ lines: [[String: Any]]) -> [String: Double] {
    Dictionary(
      lines.compactMap { line in
        (line["day"] as? String).flatMap { day in (line["average"] as? Double).map { (day, $0) } }
      }
    ) { first, _ in first }
  }

  @Test func `a night belongs to its local day, not to the day of UTC`() async throws {
    // 3:00 on June 10 and 1:00 on June 11 in Berlin, which is one day of UTC.
    let nights = [("2026-06-10T01:00:00Z", 50.0), ("2026-06-10T23:00:00Z", 80)]
    try await save(nights, of: .restingHeartRate)
    let question = ["--type", "restingHeartRate", "--every", "1d"]
    let expected = ["2026-06-10": 50.0, "2026-06-11": 80]
    #expect(
      averages(try stats(question[0], question[1], question[2], question[3], zone: Self.berlin)) == expected)
    #expect(
      averages(try stats("--type", "restingHeartRate", "--every", "1d", "--time-zone", Self.berlin))
        == expected)
    // The option overrides the time zone of the machine.
    #expect(
      averages(
        try stats(
          "--type", "restingHeartRate", "--every", "1d", "--time-zone", Self.berlin, zone: "America/New_York")
      )
        == expected)
    #expect(
      averages(try stats("--type", "restingHeartRate", "--every", "1d", "--time-zone", "UTC"))
        == ["2026-06-10": 65])
    #expect(
      averages(try stats("--type", "restingHeartRate", "--every", "1d", zone: "America/New_York"))
        == ["2026-06-09": 50, "2026-06-10": 80])
    let text = try Command.hrgate(
      "stats", "--type", "restingHeartRate", "--every", "1d", "--store", store, "--time-zone", Self.berlin
    ).output
    #expect(text.contains("2026-06-10  1 sample") && text.contains("2026-06-11  1 sample"))
  }

  @Test func `a day of a clock change is longer or shorter`() async throws {
    // Berlin: March 29 has 23 hours, October 25 has 25 hours.
    try await save([
      ("2026-03-28T22:30:00Z", 10), ("2026-03-28T23:30:00Z", 50), ("2026-03-29T21:30:00Z", 70),
      ("2026-03-29T22:30:00Z", 90), ("2026-10-24T21:30:00Z", 10), ("2026-10-24T22:30:00Z", 50),
      ("2026-10-25T22:30:00Z", 70), ("2026-10-25T23:30:00Z", 90),
    ])
    let lines = try stats("--every", "1d", "--time-zone", Self.berlin)
    #expect(
      lines.compactMap { $0["day"] as? String } == [
        "2026-03-28", "2026-03-29", "2026-03-30", "2026-10-24", "2026-10-25", "2026-10-26",
      ])
    #expect(lines.compactMap { $0["count"] as? Int } == [1, 2, 1, 1, 2, 1])
    #expect(lines[1]["start"] as? String == "2026-03-28T23:00:00.000000Z")
    #expect(lines[1]["end"] as? String == "2026-03-29T22:00:00.000000Z")
    #expect(lines[4]["end"] as? String == "2026-10-25T23:00:00.000000Z")
    // A query for this day alone has the same bounds.
    let day = try stats("--from", "2026-03-29", "--to", "2026-03-30", "--time-zone", Self.berlin)
    #expect(day.first?["count"] as? Int == 2)
    #expect(
      try stats("--from", "2026-03-29", "--to", "2026-03-30", zone: Self.berlin).first?["count"] as? Int == 2)
  }

  @Test func `weeks begin on Monday, and months on their first day`() async throws {
    // Berlin: Monday, June 1, 0:30; Sunday, June 7, 23:30; Monday, June 8, 0:30; June 30, 23:30; July 1,
    // 0:30.
    try await save([
      ("2026-05-31T22:30:00Z", 10), ("2026-06-07T21:30:00Z", 20), ("2026-06-07T22:30:00Z", 30),
      ("2026-06-30T21:30:00Z", 40), ("2026-06-30T22:30:00Z", 50),
    ])
    let weeks = try stats("--every", "1w", "--time-zone", Self.berlin)
    #expect(
      weeks.compactMap { $0["day"] as? String } == [
        "2026-06-01/2026-06-07", "2026-06-08/2026-06-14", "2026-06-29/2026-07-05",
      ])
    #expect(weeks.compactMap { $0["count"] as? Int } == [2, 1, 2])
    let months = try stats("--every", "1mo", "--time-zone", Self.berlin)
    #expect(months.compactMap { $0["day"] as? String } == ["2026-06-01/2026-06-30", "2026-07-01/2026-07-31"])
    #expect(months.compactMap { $0["count"] as? Int } == [4, 1])
    // Intervals of hours have no day.
    #expect(try stats("--every", "12h", "--time-zone", Self.berlin).allSatisfy { $0["day"] == nil })
    let plot = try Command.hrgate("stats", "--every", "1mo", "--store", store, "--time-zone", Self.berlin)
      .output
    #expect(plot.contains("2026-06-01") && plot.contains("2026-07-31"))
  }

  @Test(arguments: [
    "2026-06-10T01:00Z", "2026-06-10T03:00+02:00", "2026-06-10T01:00:00Z", "2026-06-10T03:00:00.000+02:00",
  ])
  func `a time is read with and without seconds`(time: String) async throws {
    try await save([("2026-06-10T00:59:59Z", 1), ("2026-06-10T01:00:00Z", 2)])
    let samples = try Command.hrgate("samples", "--from", time, "--store", store, "--json").objects()
    #expect(samples.compactMap { $0["value"] as? Double } == [2])
  }

  @Test(arguments: [
    ["--from", "2026-06-31"], ["--from", "2026-06-10T25:00Z"], ["--from", "2026-06-10T01:60Z"],
    ["--from", "2026-06-10T01:00"], ["--from", "2026-06-10T01Z"], ["--from", "2026-6-1"],
    ["--time-zone", "Mars/Olympus"], ["--every", "1y"], ["--every", "0d"],
  ])
  func `an invalid time, zone or interval is a usage error with an explanation`(arguments: [String]) throws {
    let result = try Command.hrgate(["stats", "--store", store] + arguments)
    #expect(result.status == 2 && result.errors.contains(arguments[0]), "\(result.errors)")
  }

  @Test func `resting heart rates are derived and read with the same days`() async throws {
    // Two nights in Berlin, each with an hour at rest from 0:30 on.
    for (night, rate) in [("2026-06-10T22:30:00Z", 50.0), ("2026-06-11T22:30:00Z", 80)] {
      let start = try Date(night, strategy: .iso8601)
      try await save(
        (0..<3600).map { ((start + Double($0)).formatted(.iso8601), rate) })
    }
    for arguments in [
      ["derive", "--store", store, "--time-zone", Self.berlin], ["derive", "--store", store],
    ] {
      #expect(try Command.hrgate(arguments, environment: ["TZ": Self.berlin]).status == 0)
    }
    #expect(
      averages(try stats("--type", "restingHeartRate", "--every", "1d", zone: Self.berlin))
        == ["2026-06-11": 50, "2026-06-12": 80])
  }

  @Test func `variability by day uses days of the calendar`() throws {
    // From 22:30 to 1:30 in Berlin.
    let file = try folder.file("night.txt", Array(String(repeating: "1000\n", count: 3 * 3600).utf8))
    func starts(_ arguments: String...) throws -> [String] {
      try Command.hrgate(
        ["hrv", file, "--start", "2026-06-10T20:30Z", "--window", "1d", "--json"] + arguments
      )
      .objects().compactMap { $0["start"] as? String }
    }
    #expect(
      try starts("--time-zone", Self.berlin) == [
        "2026-06-09T22:00:00.000000Z", "2026-06-10T22:00:00.000000Z",
      ])
    #expect(try starts("--time-zone", "UTC") == ["2026-06-10T00:00:00.000000Z"])
    #expect(
      try starts("--time-zone", Self.berlin, "--from", "2026-06-11", "--to", "2026-06-12")
        == ["2026-06-10T22:00:00.000000Z"])
    #expect(try starts("--from", "2026-06-10T21:00Z") == ["2026-06-10T21:00:00.000000Z"])
  }
}
