import Foundation
import HealthKit
import HeartRateVariability
import Testing

@testable import HealthSystem

/// Tests the derived resting heart rate of each day. The test rates are chosen so that no sum is rounded.
@Suite struct DerivedRestingHeartRateTests {
  private let store: HKHealthStore
  private let berlin: TimeZone
  private let derivation: Derivation

  init() throws {
    store = try HKHealthStore.inMemory()
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    self.berlin = berlin
    derivation = try Derivation(store) { berlin }
  }

  private func time(_ text: String) throws -> Double {
    try Date(text, strategy: .iso8601).timeIntervalSince1970
  }

  private func rests() async throws -> [Double] {
    try await store.samples(.restingHeartRate).map {
      $0.quantity.doubleValue(for: DerivedFigure.Kind.restingHeartRate.unit)
    }
  }

  private func days() async throws -> [String] {
    try await store.figures(.restingHeartRate).map { String($0.name.suffix(10)) }
  }

  @Test func `the figure of a day is its lowest five minutes, and has their time`() async throws {
    let noon = try time("2026-11-21T12:00:00Z")
    try await store.saveRates([
      (noon, 900, 75), (noon + 900, 600, 45), (noon + 1500, 900, 90), (noon + 86_400, 600, 60),
    ])
    #expect(try await derivation.catchUp() == DerivationTally(2, 0, 0, 0))
    #expect(try await rests() == [45, 60])
    #expect(try await days() == ["2026-11-21", "2026-11-22"])
    let sample = try #require(try await store.samples(.restingHeartRate).first)
    #expect(sample.startDate.timeIntervalSince1970 == noon + 900)
    #expect(sample.endDate.timeIntervalSince1970 == noon + 1200)
    #expect(sample.metadata?[HKMetadataKeyTimeZone] as? String == "Europe/Berlin")
  }

  @Test func `late rates replace the day's figure, and deletions raise or delete it`() async throws {
    let noon = try time("2026-11-21T12:00:00Z")
    try await store.saveRates([(noon, 600, 75)])
    _ = try await derivation.catchUp()
    try await store.saveRates([(noon - 3600, 600, 45)])
    #expect(try await derivation.catchUp() == DerivationTally(0, 1, 0, 0))
    #expect(try await rests() == [45])
    let before = HKQuery.predicateForSamples(
      withStart: nil, end: Date(timeIntervalSince1970: noon), options: .strictStartDate)
    let strap = store.acting(as: HKSource(name: "Strap", bundleIdentifier: "com.example.strap"))
    _ = try await strap.deleteObjects(of: HKQuantityType(.heartRate), predicate: before)
    #expect(try await derivation.catchUp() == DerivationTally(0, 1, 0, 0))
    #expect(try await rests() == [75])
    let all = HKQuery.predicateForSamples(withStart: nil, end: nil, options: [])
    _ = try await strap.deleteObjects(of: HKQuantityType(.heartRate), predicate: all)
    #expect(try await derivation.catchUp() == DerivationTally(0, 0, 1, 0))
    #expect(try await rests().isEmpty)
  }

  /// Tests days of clock changes in Berlin: on March 29, 2026, from 2 to 3 o'clock, on October 25 from 3 to
  /// 2.
  @Test(arguments: [
    ("2026-03-28T22:50:00Z", "2026-03-28T23:05:00Z", ["2026-03-28", "2026-03-29"]),
    ("2026-03-29T21:40:00Z", "2026-03-29T22:05:00Z", ["2026-03-29", "2026-03-30"]),
    ("2026-10-24T21:40:00Z", "2026-10-24T22:05:00Z", ["2026-10-24", "2026-10-25"]),
    ("2026-10-25T22:40:00Z", "2026-10-25T23:05:00Z", ["2026-10-25", "2026-10-26"]),
  ])
  func `a day ends at the user's midnight, also on days of daylight saving changes`(
    evening: String, morning: String, names: [String]
  ) async throws {
    try await store.saveRates([(try time(evening), 600, 45), (try time(morning), 600, 60)])
    _ = try await derivation.catchUp()
    #expect(try await rests() == [45, 60])
    #expect(try await days() == names)
  }

  @Test func `samples of one day in one time zone are of two days in another`() async throws {
    let evening = try time("2026-11-21T22:00:00Z")
    try await store.saveRates([(evening, 600, 50), (evening + 5400, 600, 60)])
    _ = try await derivation.catchUp()
    #expect(try await days() == ["2026-11-21", "2026-11-22"])
    let other = try HKHealthStore.inMemory()
    try await other.saveRates([(evening, 600, 50), (evening + 5400, 600, 60)])
    _ = try await Derivation(other) { .gmt }.catchUp()
    #expect(try await other.figures(.restingHeartRate).map { $0.name.suffix(10) } == ["2026-11-21"])
  }

  @Test func `workouts do not count`() async throws {
    let noon = try time("2026-11-21T12:00:00Z")
    try await store.saveRates([(noon, 900, 75), (noon + 900, 900, 45)])
    let workout = HKWorkout(
      activityType: .yoga, start: Date(timeIntervalSince1970: noon + 890),
      end: Date(timeIntervalSince1970: noon + 1810))
    let program = store.acting(as: HKSource(name: "Yoga", bundleIdentifier: "com.example.yoga"))
    try await program.save(workout)
    _ = try await derivation.catchUp()
    #expect(try await rests() == [75])
    try await program.delete(workout)
    #expect(try await derivation.catchUp() == DerivationTally(0, 1, 0, 0))
    #expect(try await rests() == [45])
  }

  @Test func `each rate of a quantity series counts`() async throws {
    let noon = try time("2026-11-21T12:00:00Z")
    let builder = HKQuantitySeriesSampleBuilder(
      healthStore: store, quantityType: HKQuantityType(.heartRate),
      startDate: Date(timeIntervalSince1970: noon), device: nil)
    for second in 0..<900 {
      try builder.insert(
        HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: second < 400 ? 75 : 60),
        at: Date(timeIntervalSince1970: noon + Double(second)))
    }
    try await builder.finishSeries(metadata: nil)
    _ = try await derivation.catchUp()
    #expect(try await rests() == [60])
  }
}
