import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Sessions are found by uninterrupted wear.
@Suite(.timeLimit(.minutes(30))) struct WearTests {
  private func sessions(_ times: [(Double, HKSource)]) -> [[Double]] {
    var wear = WearSessions()
    for (time, source) in times { wear.add(time, source) }
    return wear.end().map { [$0.span.start.timeIntervalSince1970, $0.span.end.timeIntervalSince1970] }
  }

  @Test func `a hole of five minutes is worn through, a longer one is not`() {
    #expect(sessions([(0, .strap), (100, .strap), (400, .strap)]) == [[0, 400]])
    #expect(
      sessions([(0, .strap), (100, .strap), (401, .strap), (500, .strap)]) == [[401, 500], [0, 100]])
  }

  @Test func `what lasted less than a minute is no session`() {
    #expect(sessions([(0, .strap), (59, .strap)]) == [])
    #expect(sessions([(0, .strap), (60, .strap)]) == [[0, 60]])
  }

  @Test func `sources are apart`() {
    #expect(sessions([(0, .strap), (10, .watch), (90, .strap), (95, .watch)]) == [[10, 95], [0, 90]])
  }

  @Test func `each session has the figures of its own time and source`() async throws {
    let store = try PageStore()
    try await store.save((0..<120).map { 60 + Double($0 % 10) })
    try await store.save((0..<120).map { 100 + Double($0 % 10) }, from: 3600)
    try await store.save((0..<120).map { _ in 200 }, from: 3600, as: .watch)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let worn = try await client.get("/api/worn").decoded(WornAnswer.self).sessions
      #expect(worn.map(\.name) == ["Watch", "Strap", "Strap"])
      #expect(worn.map(\.count) == [120, 120, 120])
      #expect(worn.map(\.max) == [200, 109, 69] && worn.map(\.min) == [200, 100, 60])
      #expect(worn.last?.start == 1_700_000_000_000 && worn.last?.end == 1_700_000_119_000)
    }
  }

  @Test func `a session keeps its name as it grows, and no other gets it`() async throws {
    let store = try PageStore()
    let rates = [Double](repeating: 60, count: 120)
    try await store.save(rates)
    try await store.save(rates, from: 3600)
    try await store.save(rates, as: .watch)
    let system = store.system
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func titles() async throws -> [String?] {
        try await client.get("/api/worn").decoded(WornAnswer.self).sessions.map(\.title)
      }
      func name(_ title: String, _ from: Double, _ to: Double) async throws -> Int {
        let change: [String: Any] = [
          "source": HKSource.strap.bundleIdentifier, "start": moment(from).timeIntervalSince1970 * 1000,
          "end": moment(to).timeIntervalSince1970 * 1000, "title": title,
        ]
        let body = try JSONSerialization.data(withJSONObject: change)
        return try await client.post("/api/worn/title", String(decoding: body, as: UTF8.self)).status
      }
      #expect(try await titles() == [nil, nil, nil])
      #expect(try await name("A “long” run / up", 0, 119) == 200)
      #expect(try await name(String(repeating: "x", count: 101), 3600, 3719) == 400)
      #expect(try await name("x", 3719, 3600) == 400)
      // The watch's is of the same time.
      #expect(try await titles() == [nil, nil, "A “long” run / up"])
      try await system.save(rates, from: -60)
      try await system.save(rates, from: 200)
      #expect(try await titles() == [nil, nil, "A “long” run / up"])
      #expect(try await name("Shorter", -60, 319) == 200)
      #expect(try await titles() == [nil, nil, "Shorter"])
      #expect(try await name("", -60, 319) == 200)
      #expect(try await titles() == [nil, nil, nil])
    }
  }

  @Test func `a summary says what was compared`() async throws {
    let store = try PageStore()
    let noon = Date(
      timeIntervalSince1970: (Date().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 + 43_200)
    let unit = HKUnit(from: "count/min")
    let samples = [(3.0, 70.0), (10, 80)].map { days, rate in
      HKQuantitySample(
        type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: unit, doubleValue: rate),
        start: noon - days * 86_400, end: noon - days * 86_400)
    }
    try await store.system.healthStore.acting(as: .strap).save(samples)
    let summary = try await SummaryAnswer.of(store.system, in: .gmt, now: noon)
    let highlight = try #require(summary.highlights.first)
    #expect(summary.highlights.count == 1 && highlight.now == 70 && highlight.before == 80)
    #expect(
      highlight.text
        == "Your heart rate was 70 a minute on average in the last 7 days; in the 28 days before, 80 a minute."
    )
    let before = try await SummaryAnswer.of(store.system, in: .gmt, now: noon + 40 * 86_400)
    #expect(before.highlights.isEmpty)
  }
}
