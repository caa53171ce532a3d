import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the sessions of workouts that were not detected in heart rates.
@Suite(.timeLimit(.minutes(30))) struct WorkoutSessionTests {
  /// The fields of the response for one session that the tests check.
  private struct Answer: Decodable {
    struct Workout: Decodable {
      var activityType: String
    }
    var session: WornResponse.Session
    var lowest: TimedValue?
    var zones: ZonesView?
    var workouts: [Workout]
  }

  private func workout(
    _ type: HKWorkoutActivityType, _ start: Double, _ end: Double, meters: Double? = nil
  ) -> HKWorkout {
    HKWorkout(
      activityType: type, start: moment(start), end: moment(end), duration: end - start,
      totalEnergyBurned: meters.map { _ in HKQuantity(unit: .kilocalorie(), doubleValue: 310) },
      totalDistance: meters.map { HKQuantity(unit: .meter(), doubleValue: $0) }, metadata: nil)
  }

  private func sessions(_ client: PageClient, _ query: String = "") async throws
    -> [WornResponse.Session]
  {
    try await client.get("/api/worn\(query)").decoded(WornResponse.self).sessions
  }

  @Test func `a workout without heart rates is a session, and one of a worn strap is merged`()
    async throws
  {
    let store = try PageStore()
    try await store.save([Double](repeating: 150, count: 600))
    let health = store.system.healthStore
    try await health.acting(as: .watch).save(workout(.running, 10, 590))
    let entered = workout(.cycling, 7200, 9000, meters: 12_400)
    try await health.acting(as: .phone).save([entered, workout(.yoga, 7200, 9000)])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let all = try await sessions(client, "?maximum=200")
      #expect(all.map(\.start) == [moment(7200), moment(7200), moment()])
      #expect(Set(all.map(\.activity)) == ["cycling", "yoga", "running"])
      #expect(all.last?.workout == nil && all.last?.count == 600)
      let cycling = try #require(all.first { $0.activity == "cycling" })
      #expect(cycling.end == moment(9000) && cycling.count == 0 && cycling.average == nil)
      #expect(cycling.source == HKSource.phone.bundleIdentifier && cycling.name == "Phone")
      #expect(cycling.load == nil && cycling.workout?.uuid == entered.uuid.uuidString)
      #expect(cycling.workout?.duration == 1800 && cycling.workout?.totalEnergyBurned?.value == 310)
      let distance = try #require(cycling.workout?.totalDistance)
      let quantity = HKQuantity(unit: HKUnit(from: distance.unit), doubleValue: distance.value)
      #expect(abs(quantity.doubleValue(for: .meter()) - 12_400) < 1e-6)

      let path = "/api/worn/session?source=\(cycling.source)&start=\(time(7200))"
      let answer = try await client.get("\(path)&maximum=200&workout=\(entered.uuid.uuidString)")
        .decoded(Answer.self)
      #expect(answer.session.workout?.activityType == "cycling" && answer.session.count == 0)
      #expect(answer.workouts.map(\.activityType) == ["cycling"])
      #expect(answer.lowest == nil && answer.zones == nil)
      #expect(try await client.get("\(path)&workout=\(UUID().uuidString)").status == 404)
      #expect(try await client.get("\(path)&workout=1").status == 400)
    }
  }

  @Test func `a workout of a watch that measures rarely has its heart rates, and no zones`() async throws {
    let store = try PageStore()
    let health = store.system.healthStore
    for (source, rate) in [(HKSource.watch, 120.0), (.phone, 90)] {
      try await health.acting(as: source).save(
        stride(from: 0.0, to: 3600, by: 240).map { heartRate(rate + $0 / 240, at: $0) })
    }
    // The heart rates are those of the workout's source; of another one if it has none.
    let own = workout(.hiking, 0, 3600)
    try await health.acting(as: .watch).save(own)
    let entered = workout(.walking, 1000, 2000)
    try await health.acting(as: .page).save(entered)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let all = try await sessions(client, "?maximum=200")
      #expect(all.map(\.activity) == ["walking", "hiking"])
      #expect(all.last?.count == 15 && all.last?.min == 120 && all.last?.max == 134)
      #expect(all.last?.measuredBy == nil && all.first?.count == 4)
      #expect(all.first?.measuredBy != nil && all.first?.source == HKSource.page.bundleIdentifier)
      #expect(all.map(\.load) == [nil, nil])
      let answer = try await client.get(
        "/api/worn/session?source=x&start=\(time(0))&maximum=200&workout=\(own.uuid.uuidString)"
      ).decoded(Answer.self)
      #expect(answer.lowest == TimedValue(value: 120, time: moment()) && answer.zones == nil)
    }
  }

  @Test func `a workout at the edge of the range is not listed beside its session`() async throws {
    let store = try PageStore()
    // A strap that was worn for an hour. The workout begins before the range and ends in it, or reverse.
    try await store.save([Double](repeating: 150, count: 3600))
    try await store.system.healthStore.acting(as: .watch).save(workout(.running, 60, 3500))
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      for range in ["from=\(time(30))", "to=\(time(90))", "from=\(time(30))&to=\(time(200))"] {
        #expect(try await sessions(client, "?\(range)").allSatisfy { $0.workout == nil }, "\(range)")
      }
      // Another source's list does not have it either.
      #expect(try await sessions(client, "?source=\(HKSource.watch.bundleIdentifier)").isEmpty)
    }
  }

  @Test func `a workout has a name, and pages of the list contain each session once`() async throws {
    let store = try PageStore()
    try await store.save([Double](repeating: 150, count: 300))
    // The second workout begins when the first one ends.
    try await store.system.healthStore.acting(as: .phone).save([
      workout(.cycling, 7200, 9000), workout(.walking, 9000, 9600),
    ])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let found = try await sessions(client)
      func name(_ session: WornResponse.Session, _ title: String?) async throws {
        let change: [String: Any] = [
          "source": session.source, "start": Timestamp.text(session.start), "title": title ?? NSNull(),
          "end": Timestamp.text(session.end), "workout": try #require(session.workout?.uuid),
        ]
        let body = try JSONSerialization.data(withJSONObject: change)
        #expect(try await client.post("/api/worn/title", String(decoding: body, as: UTF8.self)).status == 200)
      }
      try await name(found[0], "Back on foot")
      #expect(try await sessions(client).map(\.title) == ["Back on foot", nil, nil])
      try await name(found[1], "To the lake")
      #expect(try await sessions(client).map(\.title) == ["Back on foot", "To the lake", nil])
      try await name(found[1], nil)
      #expect(try await sessions(client).map(\.title) == ["Back on foot", nil, nil])
      #expect(try await sessions(client, "?skip=2").map(\.start) == [moment()])
    }
  }
}

extension HKSource {
  fileprivate static let phone = HKSource(name: "Phone", bundleIdentifier: "com.example.phone")
  fileprivate static let page = HKSource(name: "Page", bundleIdentifier: "com.example.page")
}
