import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the comparison of the last days with the days before.
@Suite(.timeLimit(.minutes(30))) struct SummaryTests {
  private static let unit = HKUnit(from: "count/min")
  private static let noon = Date(timeIntervalSince1970: 1_700_000_000.0 / 86_400 * 86_400 - 80_000 + 43_200)

  /// Returns a heart rate at noon of an earlier day, plus some seconds.
  private func rate(_ rate: Double, _ days: Double, _ seconds: Double = 0) -> HKQuantitySample {
    let time = Self.noon - days * 86_400 + seconds
    return HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: Self.unit, doubleValue: rate),
      start: time, end: time)
  }

  @Test func `the summary has the last days, the days before, and the number of days with measurements`()
    async throws
  {
    let store = try PageStore()
    try await store.system.healthStore.acting(as: .strap).save([rate(70, 3), rate(80, 10), rate(90, 12)])
    let summary = try await SummaryResponse.of(store.system, in: .gmt, now: Self.noon)
    let highlight = try #require(summary.highlights.first)
    #expect(summary.highlights.count == 1 && highlight.unit == "count/min")
    #expect(highlight.now.value == 70 && highlight.now.measured == 1 && highlight.days == 7)
    #expect(highlight.before?.value == 85 && highlight.before?.measured == 2)
    #expect(highlight.normal == nil)
    let before = try await SummaryResponse.of(store.system, in: .gmt, now: Self.noon + 80 * 86_400)
    #expect(before.highlights.isEmpty)
  }

  @Test func `the normal range is the mean of the 60 days before, plus or minus a standard deviation`()
    async throws
  {
    let store = try PageStore()
    // 60 and 70 in turn on 20 of the days before; then 58, 59 and 60. Today and day 68 do not count.
    let rates =
      (8...27).map { rate($0 % 2 == 0 ? 60 : 70, Double($0)) }
      + [rate(58, 3), rate(59, 2), rate(60, 1), rate(150, 0), rate(150, 68)]
    try await store.system.healthStore.acting(as: .strap).save(rates)
    let summary = try await SummaryResponse.of(store.system, in: .gmt, now: Self.noon)
    let normal = try #require(summary.highlights.first?.normal)
    #expect(abs(normal.mean - 59) < 1e-9 && normal.measured == 3 && normal.measuredBefore == 20)
    let deviation = (20 * 25.0 / 19).squareRoot()
    #expect(abs(normal.low - (65 - deviation)) < 1e-9 && abs(normal.high - (65 + deviation)) < 1e-9)
  }

  @Test func `a strap that is worn for an hour counts no more in a week than a watch`() async throws {
    let store = try PageStore()
    // The watch measures eight times on each of six days. The strap measures 1,000 times in one of these
    // hours.
    let watch = (1...6).flatMap { day in (0..<8).map { rate(60, Double(day), Double($0) * 3600) } }
    try await store.system.healthStore.acting(as: .watch).save(watch)
    try await store.system.healthStore.acting(as: .strap).save((0..<1000).map { rate(150, 2, Double($0)) })
    let figure = try #require(
      try await SummaryResponse.of(store.system, in: .gmt, now: Self.noon).highlights.first?.now)
    // In one of 48 hours the heart rate is about 150, and in the others 60. The mean of the samples would be
    // 145.
    #expect(figure.measured == 6 && figure.value > 61 && figure.value < 62)
  }

  @Test func `the normal range of a sum does not begin below zero`() async throws {
    let store = try PageStore()
    // A bicycle tour each fourth day, and a short ride on all others.
    let rides = (1...40).map { day in
      let quantity = HKQuantity(unit: .meter(), doubleValue: day % 4 == 0 ? 60_000 : 500)
      return HKQuantitySample(
        type: HKQuantityType(.distanceCycling), quantity: quantity, start: Self.noon - Double(day) * 86_400,
        end: Self.noon - Double(day) * 86_400 + 600)
    }
    try await store.system.healthStore.acting(as: .watch).save(rides)
    let type = HKQuantityType(.distanceCycling)
    let summary = try await SummaryResponse.of(store.system, [type], in: .gmt, now: Self.noon)
    #expect(summary.highlights.first?.normal?.low == 0)
  }

  @Test func `pinned types are summarized, sums per day`() async throws {
    let store = try PageStore()
    let steps = [2.0, 3].flatMap { days in
      [1000.0, 500].enumerated().map { place, count in
        let time = Self.noon - days * 86_400 + Double(place) * 7200
        return HKQuantitySample(
          type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: count),
          start: time, end: time + 600)
      }
    }
    try await store.system.healthStore.acting(as: .watch).save(steps)
    let type = HKQuantityType(.stepCount)
    let summary = try await SummaryResponse.of(store.system, [type], in: .gmt, now: Self.noon)
    let highlight = summary.highlights.first
    #expect(highlight?.kind == "daily" && highlight?.now.value == 1500 && highlight?.now.measured == 2)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      #expect(try await client.get("/api/summary?types=stepCount,bodyMass").status == 200)
      #expect(try await client.get("/api/summary?types=stepCount,nothing").status == 404)
    }
  }
}
