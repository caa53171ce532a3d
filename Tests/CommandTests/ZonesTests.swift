import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests `hrgate zones` on a store written with HealthKit.
@Suite struct ZonesTests {
  /// Returns a store with ten minutes at each of three rates, one reading per second.
  private func store(in folder: TemporaryFolder) async throws -> String {
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path).acting(
      as: HKSource(name: "Strap", bundleIdentifier: "com.example.strap"))
    let unit = HKUnit.count().unitDivided(by: .minute())
    let start = Date(timeIntervalSince1970: 1_763_700_000)
    try await store.save(
      (0..<1800).map { second in
        let time = start.addingTimeInterval(Double(second))
        return HKQuantitySample(
          type: HKQuantityType(.heartRate),
          quantity: HKQuantity(unit: unit, doubleValue: [90, 125, 170][second / 600]), start: time, end: time)
      })
    return path
  }

  private func line(_ path: String, _ arguments: [String]) throws -> [String: Any] {
    try #require(Command.hrgate(["zones", "--store", path, "--json"] + arguments).objects().first)
  }

  private func seconds(_ line: [String: Any]) -> [Double] {
    (line["zones"] as? [[String: Any]] ?? []).map { $0["seconds"] as? Double ?? -1 }
  }

  @Test func `of a quantity series each rate counts`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let start = Date(timeIntervalSince1970: 1_763_700_000)
    let builder = HKQuantitySeriesSampleBuilder(
      healthStore: store, quantityType: HKQuantityType(.heartRate), startDate: start, device: nil)
    for second in 0..<60 {
      try builder.insert(
        HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: second < 20 ? 90 : 150),
        at: start.addingTimeInterval(Double(second)))
    }
    _ = try await builder.finishSeries(metadata: nil, endDate: start.addingTimeInterval(60))
    #expect(seconds(try line(path, ["--bounds", "100"])) == [20, 49])
  }

  @Test func `a stored maximum heart rate holds for later calls, and the age is used without one`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try await store(in: folder)
    let missing = try Command.hrgate("zones", "--store", path)
    #expect(missing.status == 2 && missing.errors.contains("Give --maximum or --bounds"), "\(missing)")
    let saved = seconds(try line(path, ["--maximum", "200", "--save"]))
    #expect(seconds(try line(path, [])) == saved)
    // The option overrides the saved maximum for a single call.
    #expect(seconds(try line(path, ["--maximum", "150"])) != saved)
    #expect(seconds(try line(path, [])) == saved)
    #expect(try Command.hrgate("zones", "--maximum", "90", "--save", "--store", path).status == 2)
    #expect(try Command.hrgate("zones", "--save", "--store", path).status == 2)
    let second = try TemporaryFolder()
    let other = try await store(in: second)
    _ = try Command.hrgate("characteristics", "set", "dateOfBirth", "1990-05-17", "--store", other)
    let aged = try Command.hrgate("zones", "--store", other)
    #expect(aged.status == 0 && aged.errors.contains("estimated from your age"), "\(aged)")
  }

  @Test func `saved bounds hold for later calls, the page and programs until they are removed`() async throws
  {
    let folder = try TemporaryFolder()
    let path = try await store(in: folder)
    let saved = try line(path, ["--bounds", "80", "100", "120", "140", "160", "--save"])
    #expect(seconds(saved) == [0, 600, 0, 600, 0, 609] && saved["edwards"] == nil)
    #expect(seconds(try line(path, [])) == seconds(saved))
    #expect(
      try await HKHealthStore(storeAt: path).preferredWorkoutZoneConfiguration(
        for: HKQuantityType(.heartRate))?.source == .user)
    // A maximum does not replace them. It is that of the training load.
    let both = try Command.hrgate("zones", "--store", path, "--maximum", "200", "--save")
    #expect(both.status == 0 && both.errors.contains("--no-bounds --save"), "\(both)")
    let loaded = try line(path, [])
    #expect(seconds(loaded) == seconds(saved))
    #expect(abs((loaded["edwards"] as? Double ?? 0) - (20 + 4 * 609.0 / 60)) < 1e-9)
    // Options override them for a single call.
    #expect(seconds(try line(path, ["--no-bounds"])) == [600, 0, 600, 0, 609, 0])
    #expect(seconds(try line(path, ["--bounds", "100", "150"])) == [600, 600, 609])
    #expect(seconds(try line(path, [])) == seconds(saved))
    #expect(seconds(try line(path, ["--no-bounds", "--save"])) == [600, 0, 600, 0, 609, 0])
    #expect(seconds(try line(path, [])) == [600, 0, 600, 0, 609, 0])
    let other = try TemporaryFolder()
    let removed = try Command.hrgate(
      "zones", "--no-bounds", "--save", "--store", try await store(in: other))
    #expect(removed.status == 0 && removed.lines.isEmpty, "\(removed)")
  }

  @Test(arguments: [
    ["--bounds", "110", "130"], ["--bounds", "20", "100", "120", "140", "160"],
    ["--bounds", "80", "100", "120", "140", "160", "180"], ["--bounds", "80.5", "100", "120", "140", "160"],
    ["--no-bounds", "--bounds", "100"], ["--maximum", "1e300"],
  ])
  func `what cannot be saved is wrong usage`(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    let path = try await store(in: folder)
    #expect(try Command.hrgate(["zones", "--save", "--store", path] + arguments).status == 2)
    #expect(try Command.hrgate("zones", "--store", path).status == 2)
  }

  @Test func `zones are of the maximum, of the reserve, or by bounds`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(in: folder)
    let maximum = try line(path, ["--maximum", "200"])
    // The last reading counts for ten seconds.
    #expect(seconds(maximum) == [600, 0, 600, 0, 609, 0])
    #expect(maximum["known"] as? Double == 1809)
    #expect(abs((maximum["edwards"] as? Double ?? 0) - (20 + 4 * 609.0 / 60)) < 1e-9)
    #expect(maximum["banister"] == nil)
    let reserve = try line(path, ["--maximum", "200", "--resting", "50", "--weighting", "men"])
    #expect(seconds(reserve) == [600, 600, 0, 0, 609, 0])
    let impulse = [(600.0, 40.0 / 150), (600, 75.0 / 150), (609, 120.0 / 150)].reduce(0) {
      $0 + $1.0 / 60 * $1.1 * 0.64 * exp(1.92 * $1.1)
    }
    #expect(abs((reserve["banister"] as? Double ?? 0) - impulse) < 1e-6)
    #expect(seconds(try line(path, ["--bounds", "100", "150"])) == [600, 600, 609])
    #expect(seconds(try line(path, ["--bounds", "100", "--to", "2025-11-21T04:50:00Z"])) == [609, 0])
  }

  @Test func `for a person a zone is a line`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(in: folder)
    let lines = try Command.hrgate("zones", "--store", path, "--maximum", "200").lines
    #expect(lines.first?.hasPrefix("Strap  com.example.strap") == true)
    #expect(lines.contains { $0.hasPrefix("zone 2  120.0  –  140.0  10 min 0 s") })
    #expect(lines.last == "Edwards  60.6")
  }

  @Test func `every figure has a line of explanation`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(in: folder)
    let printed = Set(
      try line(path, ["--maximum", "200", "--resting", "50", "--weighting", "women"]).keys
    ).subtracting(["source", "start", "end"])
    let result = try Command.hrgate("zones", "--explain")
    let explained = Set(result.lines.map { String($0.prefix { $0 != ":" && $0 != " " }) })
    #expect(result.status == 0 && printed == explained)
    for option in ["--maximum", "--resting", "--bounds"] { #expect(result.output.contains("\(option)")) }
  }

  @Test(arguments: [
    ["--resting", "50"], ["--maximum", "200", "--weighting", "men"], ["--maximum", "0"],
    ["--maximum", "60", "--resting", "60"], ["--bounds", "150", "100"], ["--maximum", "nan"],
    ["--maximum", "2000", "--resting", "60", "--weighting", "men"],
  ])
  func `invalid bounds are wrong usage`(arguments: [String]) throws {
    #expect(try Command.hrgate(["zones"] + arguments).status == 2)
  }
}
