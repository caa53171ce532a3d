import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests the page's figures for local days, including days of clock changes.
@Suite(.timeLimit(.minutes(30))) struct PageDayTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
  }

  private func printed(_ arguments: [String]) throws -> [[String: Any]] {
    try Command.hrgate(arguments + ["--json", "--store", store]).objects()
  }

  private func printed(_ arguments: [String], in span: DateInterval) throws -> [[String: Any]] {
    let bounds = [span.start, span.end].map { Timestamp.text($0) }
    return try printed(arguments + ["--from", bounds[0], "--to", bounds[1]])
  }

  private func parameters(_ span: DateInterval) -> String {
    "from=\(Timestamp.text(span.start))&to=\(Timestamp.text(span.end))"
  }

  @Test(arguments: isLongRun ? 1...20 : 2...2 as ClosedRange<UInt64>)
  func `every figure of a local day equals the one on the command line`(seed: UInt64) async throws {
    var random = try RandomDays(seed: seed)
    try await random.save(inStoreAt: store)
    // The random days include the day of the clock change, with 23 or 25 hours.
    #expect(Set(random.days.map { $0.duration / 3600 }).isSuperset(of: [seed.isMultiple(of: 2) ? 23 : 25]))
    var environment = Command.withoutBus(folder)
    environment["XDG_RUNTIME_DIR"] = folder.path("")
    let page = try await RunningPage(store, environment, folder)
    func fetch(_ route: String) async throws -> [String: Any] {
      try await page.client.get("/api/" + route).object()
    }
    for type in ["heartRate", "activeEnergyBurned"] {
      try await expectIntervals(type, random.days, fetch)
      for day in random.days { try await expectStatistics(type, day, fetch) }
    }
    for day in random.days {
      try await expectSeries(day, fetch)
      try await expectVariability(day, fetch)
      try await expectZones(day, fetch)
    }
    try await expectSessions(fetch)
    #expect(page.interrupt() == 0)
  }

  private typealias Fetch = (String) async throws -> [String: Any]

  /// Compares the bars of a chart: days of UTC as in `--every 1d`, and local days with the command line's
  /// figures for each day.
  private func expectIntervals(_ type: String, _ days: [DateInterval], _ fetch: Fetch) async throws {
    let lines = try printed(["stats", "--type", type, "--every", "1d"])
    let intervals = try await fetch("statistics?type=\(type)&every=1d")["intervals"] as? [[String: Any]] ?? []
    #expect(intervals.count == lines.count && lines.count >= days.count, "\(type)")
    for (interval, line) in zip(intervals, lines) {
      try PageFigures.expectEqual(interval, line, "\(type), a day of UTC")
    }
    let all = DateInterval(start: days[0].start, end: days[days.count - 1].end)
    let local =
      try await fetch("statistics?type=\(type)&every=1d&zone=\(RandomDays.zone)&\(parameters(all))")[
        "intervals"]
      as? [[String: Any]] ?? []
    #expect(local.count == days.count)
    for (interval, day) in zip(local, days) {
      var line = try #require(try printed(["stats", "--type", type], in: day).first)
      // Ignore the bounds of the command line's figures: they are those of the samples in the day, not of the
      // day.
      for bound in ["start", "end"] { line[bound] = nil }
      try PageFigures.expectEqual(interval, line, "the bar of \(day)")
    }
  }

  private func expectStatistics(_ type: String, _ day: DateInterval, _ fetch: Fetch) async throws {
    let line = try #require(try printed(["stats", "--type", type], in: day).first)
    try PageFigures.expectEqual(
      try await fetch("statistics?type=\(type)&\(parameters(day))"), line, "\(type) of \(day)")
    for source in [RandomDays.strap, RandomDays.watch] {
      let lines = try printed(["stats", "--type", type, "--source", source.bundleIdentifier], in: day)
      let figures = try await fetch(
        "statistics?type=\(type)&source=\(source.bundleIdentifier)&\(parameters(day))")
      #expect(figures["count"] as? Int == lines.first?["count"] as? Int ?? 0)
      if let line = lines.first { try PageFigures.expectEqual(figures, line, "\(type) of \(source.name)") }
    }
    let hours = try printed(["stats", "--type", type, "--every", "1h"], in: day)
    let intervals =
      try await fetch("statistics?type=\(type)&every=1h&\(parameters(day))")["intervals"] as? [[String: Any]]
    #expect(intervals?.count == hours.count && hours.count > 15)
    for (interval, hour) in zip(intervals ?? [], hours) {
      try PageFigures.expectEqual(interval, hour, "\(type), an hour")
    }
  }

  /// Expects that the drawn values of a chart have the same minimum, maximum and count as the statistics.
  private func expectSeries(_ day: DateInterval, _ fetch: Fetch) async throws {
    let line = try #require(try printed(["stats"], in: day).first)
    for pixels in [40, 700, 2000] {
      let series = try await fetch("series?type=heartRate&pixels=\(pixels)&\(parameters(day))")
      let statistics = try #require(series["statistics"] as? [String: Any])
      try PageFigures.expectEqual(statistics, line, "the series of \(day)")
      let values = ["low", "high", "value"].flatMap { series[$0] as? [Any] ?? [] }.compactMap {
        $0 as? Double
      }
      #expect(values.min() == line["min"] as? Double && values.max() == line["max"] as? Double)
      let count = (series["count"] as? [Int])?.reduce(0, +) ?? (series["value"] as? [Any])?.count
      #expect(count == line["count"] as? Int)
    }
  }

  private func expectVariability(_ day: DateInterval, _ fetch: Fetch) async throws {
    for window in ["5m", "1h"] {
      let lines = try printed(["hrv", "--window", window], in: day)
      let windows =
        try await fetch("variability?window=\(window)&\(parameters(day))")["windows"] as? [[String: Any]]
        ?? []
      #expect(windows.count == lines.count && lines.count > 1, "\(window) of \(day)")
      #expect(window == "1h" || lines.contains { $0["rmssd"] != nil }, "there are no figures of \(day)")
      for (shown, line) in zip(windows, lines) {
        try PageFigures.expectEqual(shown, line, "hrv")
      }
    }
  }

  private func expectZones(_ day: DateInterval, _ fetch: Fetch) async throws {
    let lines = try printed(["zones", "--maximum", "187"], in: day)
    let sources = try await fetch("zones?maximum=187&\(parameters(day))")["sources"] as? [[String: Any]] ?? []
    #expect(sources.count == lines.count && lines.count > 1)
    for (source, line) in zip(sources, lines) {
      try PageFigures.expectEqual(source, line, "zones of \(day)")
      #expect((source["zones"] as? [Any])?.count == 6)
    }
  }

  private func expectSessions(_ fetch: Fetch) async throws {
    let sessions = try await fetch("worn")["sessions"] as? [[String: Any]] ?? []
    #expect(sessions.count > 4)
    for session in sessions {
      let start = try #require(session["start"] as? String)
      let last = try #require((session["end"] as? String).flatMap(Timestamp.parse))
      let end = Timestamp.text(last + 0.001)
      let source = try #require(session["source"] as? String)
      let span = ["--from", start, "--to", end, "--source", source]
      let line = try #require(try printed(["stats"] + span).first)
      try PageFigures.expectEqual(
        session, line, "a session of \(source)", only: ["start", "end", "count", "min", "max", "average"])
      let again = try await fetch("statistics?type=heartRate&source=\(source)&from=\(start)&to=\(end)")
      try PageFigures.expectEqual(again, line, "a session of \(source), asked for again")
    }
  }
}
