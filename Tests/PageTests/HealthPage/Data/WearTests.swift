import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the detection of sessions.
@Suite(.timeLimit(.minutes(30))) struct WearTests {
  private func sessions(_ times: [(Double, HKSource)]) -> [[Double]] {
    var wear = WearSessions()
    for (time, source) in times.sorted(by: { $0.0 < $1.0 }) { wear.add(time, source) }
    return wear.end().map { [$0.span.start.timeIntervalSince1970, $0.span.end.timeIntervalSince1970] }
  }

  /// Returns the times of values in a regular interval, from the first to the last.
  private func worn(
    _ start: Double, _ end: Double, every step: Double = 1, by source: HKSource = .strap
  ) -> [(Double, HKSource)] {
    stride(from: start, through: end, by: step).map { ($0, source) }
  }

  @Test func `a gap of five minutes does not end a session, a longer one does`() {
    #expect(sessions(worn(0, 200) + worn(500, 700)) == [[0, 700]])
    #expect(sessions(worn(0, 200) + worn(501, 701)) == [[501, 701], [0, 200]])
  }

  @Test func `less than three minutes is not a session`() {
    #expect(sessions(worn(0, 179)) == [])
    #expect(sessions(worn(0, 180)) == [[0, 180]])
  }

  @Test func `sources have separate sessions`() {
    #expect(sessions(worn(0, 190) + worn(10, 200, by: .watch)) == [[10, 200], [0, 190]])
  }

  @Test func `a watch's values every few minutes are not a session, but its dense values are`() {
    #expect(sessions(worn(0, 36_000, every: 290)) == [])
    // One value a minute is not dense enough for a session.
    #expect(sessions(worn(0, 36_000, every: 60)) == [])
    let day = worn(0, 10_000, every: 250) + worn(10_001, 12_001, every: 5) + worn(12_200, 20_000, every: 250)
    #expect(sessions(day) == [[10_000, 12_001]])
    #expect(sessions(worn(0, 600, every: 10)) == [[0, 600]])
    #expect(sessions(worn(0, 600, every: 11)) == [])
  }

  @Test func `a single value within a gap joins no sessions`() {
    #expect(sessions(worn(0, 200) + [(400, .strap)] + worn(600, 900)) == [[600, 900], [0, 200]])
  }

  @Test func `each session has the statistics of its own time and source`() async throws {
    let store = try PageStore()
    try await store.save((0..<240).map { 60 + Double($0 % 10) })
    try await store.save((0..<240).map { 100 + Double($0 % 10) }, from: 3600)
    try await store.save((0..<240).map { _ in 200 }, from: 3600, as: .watch)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let answer = try await client.get("/api/worn").decoded(WornResponse.self)
      #expect(answer.unit == "count/min" && answer.next == nil)
      let worn = answer.sessions
      let later = try await client.get("/api/worn?skip=2").decoded(WornResponse.self).sessions
      #expect(later.map(\.start) == [worn.last?.start])
      #expect(worn.map(\.name) == ["Watch", "Strap", "Strap"])
      #expect(worn.map(\.count) == [240, 240, 240])
      #expect(worn.map(\.max) == [200, 109, 69] && worn.map(\.min) == [200, 100, 60])
      #expect(worn.last?.start == moment() && worn.last?.end == moment(239))
    }
  }

  @Test func `a session keeps its name when it grows, and no other session gets it`() async throws {
    let store = try PageStore()
    let rates = [Double](repeating: 60, count: 240)
    try await store.save(rates)
    try await store.save(rates, from: 3600)
    try await store.save(rates, as: .watch)
    let system = store.system
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func titles() async throws -> [String?] {
        try await client.get("/api/worn").decoded(WornResponse.self).sessions.map(\.title)
      }
      func name(_ title: String, _ from: Double, _ to: Double) async throws -> Int {
        let change: [String: Any] = [
          "source": HKSource.strap.bundleIdentifier, "start": time(from),
          "end": time(to), "title": title,
        ]
        let body = try JSONSerialization.data(withJSONObject: change)
        return try await client.post("/api/worn/title", String(decoding: body, as: UTF8.self)).status
      }
      #expect(try await titles() == [nil, nil, nil])
      #expect(try await name("A “long” run / up", 0, 239) == 200)
      #expect(try await name(String(repeating: "x", count: 101), 3600, 3839) == 400)
      #expect(try await name("x", 3839, 3600) == 400)
      // The session of the watch at the same time gets no title.
      #expect(try await titles() == [nil, nil, "A “long” run / up"])
      try await system.save(rates, from: -60)
      try await system.save(rates, from: 300)
      #expect(try await titles() == [nil, nil, "A “long” run / up"])
      #expect(try await name("Shorter", -60, 539) == 200)
      #expect(try await titles() == [nil, nil, "Shorter"])
      #expect(try await name("", -60, 539) == 200)
      #expect(try await titles() == [nil, nil, nil])
    }
  }

  @Test func `a session has a note of several lines beside its name`() async throws {
    let store = try PageStore()
    let rates = [Double](repeating: 60, count: 240)
    try await store.save(rates)
    try await store.save(rates, from: 3600)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      struct Answer: Decodable {
        var session: WornResponse.Session
        var note: String?
      }
      func answer(_ start: Double) async throws -> Answer {
        let source = HKSource.strap.bundleIdentifier
        return try await client.get("/api/worn/session?source=\(source)&start=\(time(start))")
          .decoded(Answer.self)
      }
      func change(_ route: String, _ text: String?) async throws -> Int {
        let change: [String: Any] = [
          "source": HKSource.strap.bundleIdentifier, "start": time(0), "end": time(239),
          route: text ?? NSNull(),
        ]
        let body = try JSONSerialization.data(withJSONObject: change)
        return try await client.post("/api/worn/\(route)", String(decoding: body, as: UTF8.self)).status
      }
      #expect(try await answer(0).note == nil)
      #expect(try await change("title", "Intervals") == 200)
      // Line breaks are kept, and other control characters are not.
      #expect(try await change("note", "\n4 × 4 min <b>\r\n\r\nleft\tknee\u{7}\n") == 200)
      #expect(try await answer(100).note == "4 × 4 min <b>\n\nleft knee")
      #expect(try await answer(100).session.title == "Intervals")
      #expect(try await answer(3600).note == nil)
      #expect(try await change("note", String(repeating: "ß", count: 2001)) == 400)
      #expect(try await change("note", "e" + String(repeating: "\u{301}", count: 5000)) == 400)
      #expect(try await change("note", String(repeating: "ß", count: 2000)) == 200)
      #expect(try await answer(0).note?.count == 2000)
      #expect(try await change("note", nil) == 200)
      let last = try await answer(0)
      #expect(last.note == nil && last.session.title == "Intervals")
    }
  }
}
