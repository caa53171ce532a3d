import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests one session with its figures.
@Suite(.timeLimit(.minutes(30))) struct WornSessionTests {
  /// The fields of the response that the tests check.
  private struct Answer: Decodable {
    struct Workout: Decodable {
      var activityType: String
    }
    var unit: String
    var session: WornResponse.Session
    var lowest: TimedValue?
    var highest: TimedValue?
    var zones: ZonesView?
    var impulse: WornSession.Impulse?
    var variability: VariabilityView?
    var recovery: RecoveryView?
    var workouts: [Workout]
  }

  private static let strap = HKSource.strap.bundleIdentifier

  @Test func `a session has extremes with times, zones, load, and recovery after its workout`()
    async throws
  {
    let store = try PageStore()
    // Ten minutes at 150 with a peak of 171, then a minute and a half at 110.
    try await store.save((0..<600).map { $0 == 590 ? 171 : 150 })
    try await store.save([Double](repeating: 110, count: 90), from: 600)
    try await store.save([Double](repeating: 60, count: 200), as: .watch)
    let workout = HKWorkout(activityType: .running, start: moment(10), end: moment(600))
    let resting = HKQuantitySample(
      type: HKQuantityType(.restingHeartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 50), start: moment(-9000),
      end: moment(-9000))
    try await store.system.healthStore.acting(as: .watch).save([workout, resting])
    let system = store.system
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func ask(_ more: String) async throws -> Answer {
        try await client.get("/api/worn/session?source=\(Self.strap)&\(more)").decoded(Answer.self)
      }
      let answer = try await ask("start=\(time(300))&maximum=200")
      #expect(answer.session.start == moment() && answer.session.end == moment(689))
      #expect(answer.session.min == 110 && answer.session.max == 171 && answer.session.count == 690)
      #expect(answer.lowest == TimedValue(value: 110, time: moment(600)))
      #expect(answer.highest == TimedValue(value: 171, time: moment(590)))
      // 150 counts for 599 s (zone 3), 171 for 1 s (zone 4), and 110 for 99 s (zone 1). The last value counts
      // for ten seconds.
      #expect(answer.zones?.zones.map(\.seconds) == [0, 99, 0, 599, 1, 0])
      #expect(abs((answer.zones?.edwards ?? 0) - (99 + 3 * 599 + 4) / 60) < 1e-9)
      // Banister's training impulse depends on the user's sex, which is not set yet.
      #expect(answer.impulse == nil && answer.zones?.banister == nil)
      #expect(answer.workouts.map(\.activityType) == ["running"])
      #expect(answer.recovery?.end == moment(600))
      #expect(abs((answer.recovery?.recovery ?? 0) - 61) < 1e-6)
      #expect(answer.variability == nil)
      try await system.setCharacteristic(.biologicalSex, to: HKBiologicalSex.female.rawValue)
      let load = try await ask("start=\(time(300))&maximum=200")
      #expect(load.impulse?.resting == 50 && load.impulse?.weighting == "women")
      #expect((load.zones?.banister ?? 0) > 10)
      let ended = try await ask("start=\(time(300))&end=\(time(100))")
      #expect(ended.recovery?.end == moment(100) && ended.recovery?.refused == "no-recovery")
      #expect(ended.zones == nil)
    }
  }

  @Test func `a session is found by any moment in it, and there is none elsewhere`() async throws {
    let store = try PageStore()
    try await store.save([Double](repeating: 60, count: 240))
    try await store.save([Double](repeating: 60, count: 240), from: 3600)
    let health = store.system.healthStore
    for inside in [0.0, 100, 239] {
      let span = try await WornSession.span(of: Self.strap, at: moment(inside), in: health)
      #expect(span == DateInterval(start: moment(), duration: 239))
    }
    #expect(try await WornSession.span(of: Self.strap, at: moment(1000), in: health) == nil)
    #expect(try await WornSession.span(of: "com.example.none", at: moment(), in: health) == nil)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let path = "/api/worn/session?source=\(Self.strap)"
      #expect(try await client.get("\(path)&start=\(time(1000))").status == 404)
      #expect(try await client.get(path).status == 400)
      #expect(try await client.get("/api/worn/session?start=\(time(0))").status == 400)
    }
  }

  @Test func `a session of more than a day is whole`() async throws {
    let store = try PageStore()
    let days = stride(from: 0.0, to: 2 * 86_400, by: 10).map { heartRate(60, at: $0) }
    try await store.system.healthStore.acting(as: .strap).save(days)
    let span = try await WornSession.span(
      of: Self.strap, at: moment(90_000), in: store.system.healthStore)
    #expect(span == DateInterval(start: moment(), duration: 2 * 86_400 - 10))
  }

  @Test func `a list has the activity of a workout that is mostly inside, and loads on request`()
    async throws
  {
    let store = try PageStore()
    try await store.save([Double](repeating: 150, count: 300))
    try await store.save([Double](repeating: 150, count: 300), from: 3600)
    let inside = HKWorkout(activityType: .cycling, start: moment(10), end: moment(290))
    // A tenth of this workout overlaps the session, and a tenth of the session overlaps the workout.
    let beside = HKWorkout(activityType: .running, start: moment(3870), end: moment(4170))
    try await store.system.healthStore.acting(as: .watch).save([inside, beside])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let worn = try await client.get("/api/worn?maximum=200").decoded(WornResponse.self).sessions
      // The workout that is mostly outside is a session of its own. It has too few heart rates for a load.
      #expect(worn.map(\.activity) == ["running", nil, "cycling"])
      // Each session has 309 s in zone 3: the last value counts for ten seconds.
      #expect(worn.map { (($0.load ?? 0) * 1000).rounded() } == [0, 15_450, 15_450])
      let plain = try await client.get("/api/worn").decoded(WornResponse.self).sessions
      #expect(plain.map(\.load) == [nil, nil, nil])
      #expect(plain.map(\.activity) == ["running", nil, "cycling"])
    }
  }

  @Test func `extremes have the times of their values, of the sources that are named`() async throws {
    let store = try PageStore()
    try await store.save([60, 55, 70, 55, 80, 80])
    try await store.save([200, 30], from: 7200, as: .watch)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func ask(_ more: String) async throws -> ExtremesResponse {
        try await client.get("/api/extremes?type=heartRate&from=\(time(0))&to=\(more)")
          .decoded(ExtremesResponse.self)
      }
      let all = try await ask(time(9000))
      #expect(all.lowest == TimedValue(value: 30, time: moment(7201)))
      #expect(all.highest == TimedValue(value: 200, time: moment(7200)))
      let strap = try await ask("\(time(9000))&source=\(Self.strap)")
      #expect(strap.lowest == TimedValue(value: 55, time: moment(1)))
      #expect(strap.highest == TimedValue(value: 80, time: moment(4)))
      // A value at the end of the range is not included.
      #expect(try await ask(time(4)).highest == TimedValue(value: 70, time: moment(2)))
      let path = "/api/extremes?from=\(time(0))&to=\(time(9))&type"
      #expect(try await client.get("\(path)=stepCount").status == 400)
      let year = "from=\(time(0))&to=\(time(400 * 86_400))"
      #expect(try await client.get("/api/extremes?type=heartRate&\(year)").status == 400)
    }
  }
}
