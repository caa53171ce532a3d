import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the session in progress, and laps.
@Suite(.timeLimit(.minutes(30))) struct OngoingSessionTests {
  private static let strap = HKSource.strap.bundleIdentifier

  private struct Answer: Decodable {
    var laps: [SessionLaps.Lap]
  }

  private func ongoing(
    _ store: PageStore, at seconds: Double, maximum: Double? = nil
  ) async throws -> OngoingSession {
    let zones = try maximum.map {
      RequestedZones(bounds: try #require(HeartRateZones(ofMaximum: $0)), maximum: $0)
    }
    return try await OngoingSession.of(store.system, Self.strap, zones: zones, now: moment(seconds))
  }

  @Test func `the session that goes on has figures and time in zones from its first minute`()
    async throws
  {
    let store = try PageStore()
    // An earlier session, and another source at the same time, do not belong to the session.
    try await store.save([Double](repeating: 190, count: 300), from: -3600)
    try await store.save([Double](repeating: 80, count: 90), as: .watch)
    try await store.save((0..<90).map { $0 < 60 ? 110 : 150 })
    let answer = try await ongoing(store, at: 95, maximum: 200)
    #expect(answer.unit == "count/min" && answer.laps.isEmpty)
    let session = try #require(answer.session)
    #expect(session.start == moment() && session.end == moment(89) && session.count == 90)
    #expect(session.min == 110 && session.max == 150)
    #expect(abs((session.average ?? 0) - 123.3) < 1)
    // The last value does not count yet, so that the time in zones is not longer than the session.
    #expect(answer.zones?.zones.map(\.seconds) == [0, 60, 0, 29, 0, 0])
    #expect(try await ongoing(store, at: 95).zones == nil)
    #expect(try await ongoing(store, at: 89 + 300).session != nil)
    #expect(try await ongoing(store, at: 89 + 301).session == nil)
    // Two values in 200 s are not dense enough for a session.
    try await store.save([60], from: 1000)
    try await store.save([60], from: 1200)
    #expect(try await ongoing(store, at: 1205).session == nil)
  }

  @Test func `a session that goes on for more than two days is whole`() async throws {
    let store = try PageStore()
    let days = stride(from: 0.0, to: 2.5 * 86_400, by: 10).map { heartRate(60, at: $0) }
    try await store.system.healthStore.acting(as: .strap).save(days)
    #expect(try await ongoing(store, at: 2.5 * 86_400).session?.start == moment())
  }

  @Test func `laps divide a session, and an end of a lap is removed`() async throws {
    let store = try PageStore()
    try await store.save((0..<300).map { $0 < 100 ? 120 : $0 < 200 ? 140 : 160 })
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func laps() async throws -> [SessionLaps.Lap] {
        try await client.get("/api/worn/session?source=\(Self.strap)&start=\(time(0))").decoded(
          Answer.self
        )
        .laps
      }
      func change(_ seconds: Double, _ more: String = "") async throws -> Int {
        let body = #"{"source":"\#(Self.strap)","time":"\#(time(seconds))"\#(more)}"#
        return try await client.post("/api/worn/lap", body).status
      }
      #expect(try await laps().isEmpty)
      for seconds in [200.0, 100, 100] { #expect(try await change(seconds) == 200) }
      let three = try await laps()
      #expect(three.map(\.start) == [moment(), moment(100), moment(200)])
      #expect(three.map(\.end) == [moment(100), moment(200), moment(299)])
      #expect(three.map(\.count) == [100, 100, 100] && three.map(\.average) == [120, 140, 160])
      #expect(try await change(100, #","isRemoved":true"#) == 200)
      #expect(try await laps().map(\.end) == [moment(200), moment(299)])
      // There is no session at this time, so it cannot be divided into laps.
      #expect(try await change(5000) == 404)
      var stranger = client
      stranger.changeKey = "wrong"
      #expect(try await stranger.post("/api/worn/lap", "{}").status == 403)
    }
  }

  @Test func `the lap that goes on ends with the latest heart rate`() async throws {
    let store = try PageStore()
    let now = Date().timeIntervalSince(moment()).rounded()
    try await store.save([Double](repeating: 120, count: 60), from: now - 70)
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      func laps() async throws -> [SessionLaps.Lap] {
        try await client.get("/api/worn/ongoing?source=\(Self.strap)").decoded(OngoingSession.self)
          .laps
      }
      // The button was pressed 5 s ago, and the last stored heart rate is 11 s old.
      let body = #"{"source":"\#(Self.strap)","time":"\#(time(now - 5))"}"#
      #expect(try await client.post("/api/worn/lap", body).status == 200)
      #expect(try await laps().isEmpty)
      try await system.save([Double](repeating: 130, count: 9), from: now - 10)
      #expect(try await laps().map(\.end) == [moment(now - 5), moment(now - 2)])
      let later = #"{"source":"\#(Self.strap)","time":"\#(time(now + 3600))"}"#
      #expect(try await client.post("/api/worn/lap", later).status == 404)
    }
  }
}
