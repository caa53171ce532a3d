import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests explanations of variability measures, and the user's own normal range.
@Suite(.timeLimit(.minutes(30))) struct NormalRangeTests {
  @Test func `the range is the mean of the days before with its deviation, from enough days on`() throws {
    let before = (0..<7).flatMap { _ -> [Double] in [40, 60] }
    let range = try #require(NormalRange(before, [45, 55, 56]))
    #expect(range.mean == 52 && range.measured == 3 && range.measuredBefore == 14)
    #expect(abs(range.low - (50 - 10.3775)) < 1e-3 && abs(range.high - (50 + 10.3775)) < 1e-3)
    #expect(NormalRange(Array(before.dropLast()), [45, 55, 56]) == nil)
    #expect(NormalRange(before, [45, 55]) == nil)
    #expect(NormalRange.median([3, 1, 2]) == 2 && NormalRange.median([4, 1]) == 2.5)
    #expect(NormalRange.median([]) == nil)
  }

  @Test func `days are compared with the days before them, each by the median of its windows`()
    async throws
  {
    let store = try PageStore()
    let health = store.system.healthStore.acting(as: .strap)
    let midnight = Date(timeIntervalSince1970: 1_700_006_400)
    // Twenty minutes of beats on each day. The intervals are 1,000 ms in the week before today, and 800 ms on
    // the other days.
    for day in 0...30 {
      let isRecent = (1...7).contains(day)
      let interval = isRecent ? 1.0 : 0.8
      let start = midnight - Double(day) * 86_400 + 3600
      let beats = (0..<Int(1250 / interval)).map { beat in
        HKHeartbeatSeriesQueryDescriptor.Heartbeat(
          timeIntervalSinceStart: Double(beat) * interval + Double(beat % 3) * 0.01, precededByGap: false)
      }
      try await health.save([
        HKHeartbeatSeriesSample(uuid: UUID(), start: start, beats: beats, device: nil, metadata: nil)
      ])
    }
    let answer = try await NormalRangesResponse.of(
      store.system.healthStore, in: .gmt, now: midnight + 50_000)
    let source = try #require(answer.sources.first)
    #expect(answer.sources.count == 1 && source.name == "Strap" && answer.days == 7)
    let mean = try #require(source.figures["meanNN"])
    #expect(abs(mean.mean - 1000) < 1 && abs(mean.low - 800) < 1 && abs(mean.high - 800) < 1)
    #expect(mean.measured == 7 && mean.measuredBefore == 23)
    #expect(Set(source.figures.keys) == Set(NormalRangesResponse.names))
    // Twenty days earlier, too few days before the week have beats.
    let early = try await NormalRangesResponse.of(
      store.system.healthStore, in: .gmt, now: midnight - 20 * 86_400)
    #expect(early.sources.isEmpty)
  }

  @Test func `figures are explained in the words of the command line`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let words = try await client.get("/api/explanations").decoded(ExplanationsResponse.self)
      #expect(words.variability.count == HRVDefinitions.lines.count)
      for line in HRVDefinitions.lines {
        let name = String(line.prefix { $0 != ":" })
        #expect(line == "\(name): \(words.variability[name] ?? "")")
      }
      // The definitions of zones and recovery are included too. Some of their names have spaces, so they are
      // not names of JSON fields.
      #expect(words.zones["edwards"] != nil && words.recovery["recovery"] != nil)
      #expect(try await client.get("/api/variability/normal").status == 200)
    }
  }
}
