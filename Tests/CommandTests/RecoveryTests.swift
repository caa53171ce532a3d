import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests `hrgate recovery` on a store written with HealthKit.
@Suite struct RecoveryTests {
  private static let end = Date(timeIntervalSince1970: 1_763_700_000)
  private static let name = "2025-11-21T04:40:00Z"
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
  }

  private func acting(as name: String) throws -> HKHealthStore {
    try HKHealthStore(storeAt: path).acting(
      as: HKSource(name: name, bundleIdentifier: "com.example.\(name)"))
  }

  /// Saves 90 s of exercise at a constant rate, then 90 s in which the rate falls by one every two seconds.
  private func save(_ rate: Double, end: Date = Self.end, as name: String = "strap") async throws {
    let unit = HKUnit.count().unitDivided(by: .minute())
    try await acting(as: name).save(
      (-90..<90).map { second in
        let time = end.addingTimeInterval(Double(second))
        let value = second < 0 ? rate : rate - Double(second / 2)
        return HKQuantitySample(
          type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: unit, doubleValue: value),
          start: time, end: time)
      })
  }

  private func lines(_ arguments: String...) throws -> [[String: Any]] {
    let result = try Command.hrgate(["recovery", "--store", path, "--json"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try result.objects()
  }

  @Test func `it is the peak about the named end less the mean a minute later`() async throws {
    try await save(160)
    let line = try #require(try lines(Self.name).first)
    #expect(line["source"] as? String == "com.example.strap")
    #expect(line["end"] as? String == "2025-11-21T04:40:00.000000Z")
    // The mean of the rates from 55 to 64 s after the end. In this time the rate has fallen by 27 once, by
    // 28, 29, 30 and 31 twice each, and by 32 once.
    let mean = 160 - 29.5
    #expect(line["peak"] as? Double == 160 && line["refused"] == nil)
    #expect(abs((line["afterOneMinute"] as? Double ?? 0) - mean) < 1e-9)
    #expect(abs((line["recovery"] as? Double ?? 0) - (160 - mean)) < 1e-9)
    let text = try Command.hrgate("recovery", "--store", path, Self.name).output
    #expect(text.contains("strap  com.example.strap  29.5 beats in one minute, from 160.0 to 130.5"))
  }

  @Test func `without a named end it is that of each workout`() async throws {
    let other = Self.end.addingTimeInterval(86_400)
    try await save(160)
    try await save(150, end: other)
    for end in [other, Self.end] {
      try await acting(as: "training").save(
        HKWorkout(activityType: .running, start: end.addingTimeInterval(-90), end: end))
    }
    #expect(try lines().map { $0["peak"] as? Double } == [160, 150])
    #expect(try lines("--from", "2025-11-22T00:00:00Z").map { $0["peak"] as? Double } == [150])
    #expect(try lines("--to", "2025-11-22T00:00:00Z").map { $0["peak"] as? Double } == [160])
  }

  @Test func `each source is computed separately`() async throws {
    try await save(160)
    try await save(150, as: "watch")
    #expect(try lines(Self.name).map { $0["peak"] as? Double } == [160, 150])
    #expect(try lines(Self.name, "--source", "watch").map { $0["peak"] as? Double } == [150])
  }

  @Test func `what cannot be had is refused by name`() async throws {
    try await save(160)
    let hour = try #require(try lines("2025-11-21T05:40:00Z").first)
    #expect(hour["refused"] as? String == "no-heart-rate" && hour["source"] == nil)
    let early = try #require(try lines("2025-11-21T04:38:45Z").first)
    #expect(early["refused"] as? String == "no-recovery" && early["recovery"] == nil)
    let text = try Command.hrgate("recovery", "--store", path, "2025-11-21T05:40:00Z").output
    #expect(text == "2025-11-21T05:40:00.000000Z  refused: no-heart-rate\n")
    let none = try Command.hrgate("recovery", "--store", path)
    #expect(
      none.status == 0 && none.output.isEmpty && none.errors.contains("give the end time of the exercise"))
    for wrong in [["yesterday"], [Self.name, "--from", Self.name]] {
      #expect(try Command.hrgate(["recovery", "--store", path] + wrong).status == 2)
    }
  }

  @Test func `every figure has a line of explanation`() async throws {
    try await save(160)
    let explained = Set(
      try Command.hrgate("recovery", "--explain").lines.map { String($0.prefix { $0 != ":" }) })
    let printed = Set(try lines(Self.name, "2025-11-21T05:40:00Z").flatMap(\.keys)).subtracting(["source"])
    #expect(printed == explained)
  }
}
