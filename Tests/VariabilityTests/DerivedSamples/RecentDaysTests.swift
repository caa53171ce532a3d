import Foundation
import GRDB
import HealthKit
import Testing

@testable import HealthStorage
@testable import HealthSystem
@testable import TestSupport

/// Tests that an incremental derivation reads only changes, and has the same result as one that reads
/// everything.
@Suite struct RecentDaysTests {
  private let store: HKHealthStore
  private let derivation: Derivation
  /// Noon of a day in UTC.
  private let noon = 1_763_726_400.0

  init() throws {
    store = try HKHealthStore.inMemory()
    derivation = try Derivation(store) { .gmt }
  }

  private func rests() async throws -> [Double] {
    try await store.samples(.restingHeartRate).map {
      $0.quantity.doubleValue(for: DerivedFigure.Kind.restingHeartRate.unit)
    }
  }

  /// Returns whether a new derivation, which reads all samples, changes nothing.
  private func isRight() async throws -> Bool {
    try await Derivation(store) { .gmt }.derive(from: .distantPast, to: nil).changes == 0
  }

  @Test func `a pass reads only changes, however many samples the day has`() async throws {
    var read: [Int] = []
    for look in 0..<40 {
      try await store.saveRates([(noon + Double(look) * 60, 60, 70)])
      let before = derivation.recent.work.heartRates
      _ = try await derivation.catchUp()
      read.append(derivation.recent.work.heartRates - before)
    }
    // The derivation reads the changed minute, the minute before it, whose last rate lasts into it, and some
    // seconds before.
    #expect(read.dropFirst().allSatisfy { (60...140).contains($0) })
    #expect(try await rests() == [70])
    // A rate that is saved late makes the derivation read only the minute of that rate.
    let before = derivation.recent.work.heartRates
    try await store.saveRates([(noon + 630.5, 1, 30)])
    _ = try await derivation.catchUp()
    #expect((60...140).contains(derivation.recent.work.heartRates - before))
    #expect(try await isRight())
  }

  private let straps = ["a", "b"].map { HKSource(name: $0, bundleIdentifier: "com.example.\($0)") }

  /// Makes a random change of heart rates and workouts of two days.
  private func change(_ random: inout SeededGenerator) async throws {
    let source = straps.randomElement(using: &random) ?? straps[0]
    let midnight = noon + 43_200
    let from = midnight + Double.random(in: -1500...1500, using: &random)
    let seconds = Int.random(in: 1...500, using: &random)
    let to = from + Double(seconds)
    switch Int.random(in: 0...9, using: &random) {
    case 0...5:
      try await store.saveRates(
        [(from, seconds, Double.random(in: 40...120, using: &random))],
        step: Double.random(in: 0.7...13, using: &random), as: source)
    case 6...8:
      let part = HKQuery.predicateForSamples(
        withStart: Date(timeIntervalSince1970: from), end: Date(timeIntervalSince1970: to))
      _ = try await store.acting(as: source).deleteObjects(of: HKQuantityType(.heartRate), predicate: part)
    default:
      try await store.acting(as: source).save(
        HKWorkout(
          activityType: .yoga, start: Date(timeIntervalSince1970: from), end: Date(timeIntervalSince1970: to))
      )
    }
  }

  @Test(arguments: 1...(isLongRun ? 200 : 1) as ClosedRange<UInt64>)
  func `after any late or deleted samples, an incremental pass equals a full one`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let other = try Derivation(store) { .gmt }
    for _ in 0..<20 {
      for _ in 0..<Int.random(in: 1...3, using: &random) { try await change(&random) }
      // The other program sometimes derives samples too, and advances the cursor in the store.
      if Int.random(in: 0...3, using: &random) == 0 { _ = try await other.catchUp() }
      _ = try await derivation.catchUp()
      #expect(try await isRight())
    }
  }

  @Test func `changes that another program has derived are not missed`() async throws {
    try await store.saveRates([(noon, 600, 75)])
    _ = try await derivation.catchUp()
    try await store.saveRates([(noon + 3600, 600, 45)])
    _ = try await Derivation(store) { .gmt }.catchUp()
    // The saved rates are not in this derivation's cached copy of the day, and the change log will not report
    // them again.
    try await store.saveRates([(noon + 7200, 600, 60)])
    _ = try await derivation.catchUp()
    #expect(try await rests() == [45])
  }

  @Test func `samples that a restored backup does not have are forgotten`() async throws {
    let backup = try Derivation(HKHealthStore.inMemory()).database
    try await store.saveRates([(noon, 600, 75)])
    _ = try await derivation.catchUp()
    try derivation.database.writer.backup(to: backup.writer)
    try await store.saveRates([(noon + 3600, 600, 45)])
    _ = try await derivation.catchUp()
    #expect(try await rests() == [45])
    try backup.writer.backup(to: derivation.database.writer)
    try await store.saveRates([(noon + 7200, 300, 90)])
    _ = try await derivation.catchUp()
    #expect(try await rests() == [75])
  }

  @Test func `concurrent passes do not use each other's partial results`() async throws {
    try await store.saveRates([(noon, 600, 75)])
    _ = try await derivation.catchUp()
    let mine = derivation.recent.take()
    try await store.saveRates([(noon + 3600, 600, 45)])
    _ = try await derivation.catchUp()
    // Restore an older but complete copy of the day. Later changes must be reported again, or the copy must
    // be discarded.
    derivation.recent.give(mine)
    try await store.saveRates([(noon + 7200, 600, 60)])
    _ = try await derivation.catchUp()
    #expect(try await rests() == [45])
  }

  @Test func `the cache is limited in days and in samples of a day`() throws {
    var recent = RecentDays()
    let days = CalendarDay.days(from: noon, to: noon + 10 * 86_400, in: .gmt)
    for day in days { recent.keep(DayRates(of: day)) }
    let kept = days.filter { recent.take($0) != nil }
    #expect(days.count == 11 && kept == Array(days.suffix(RecentDays.capacity)))
  }

  @Test func `days without samples are skipped`() async throws {
    // A strap whose gateway did not know the time, so that the beats are in 1970, and later samples with the
    // right time.
    try await Heart(beats: 400, start: 3600).save(in: store)
    try await store.saveRates([(7200, 600, 75), (noon, 600, 45)])
    try await Heart(beats: 400).save(in: store)
    let tally = try await derivation.derive(from: Date(timeIntervalSince1970: 0), to: nil)
    #expect(tally == DerivationTally(4, 0, 0, 0))
    #expect(try await store.variability().count == 2)
    #expect(try await rests() == [75, 45])
    #expect((2...4).contains(derivation.recent.work.days))
    // A derived sample whose beats were deleted without an entry in the change log also counts as stored
    // data.
    let stray = DerivedFigure(
      kind: .variability, syncIdentifier: VariabilityWindow(number: 2_000_000).syncIdentifier, value: 7,
      start: Date(timeIntervalSince1970: 600_000_000), end: Date(timeIntervalSince1970: 600_000_300),
      device: nil, metadata: [:])
    try await store.acting(as: DerivedSource.source).save(stray.sample(version: 1))
    #expect(try await derivation.derive(from: .distantPast, to: nil) == DerivationTally(0, 0, 1, 4))
  }

  @Test func `beats in one series over midnight are derived on both days`() async throws {
    let heart = Heart(beats: 8000, start: noon + 39_600)
    try await store.acting(as: heart.source).save([try heart.single])
    let tally = try await derivation.derive(from: .distantPast, to: nil)
    #expect(tally.changes == 23)
    #expect(try await derivation.catchUp().changes == 0)
  }
}
