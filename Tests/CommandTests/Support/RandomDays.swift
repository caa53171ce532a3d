import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Four local days around a clock change, generated from a seed: a watch that measures every few minutes, and
/// two straps that are worn now and then, sometimes at the same time or past midnight, with gaps. Some
/// samples are saved late, and some are deleted again.
struct RandomDays {
  static let zone = "Europe/Berlin"
  static let strap = HKSource(name: "Strap", bundleIdentifier: "org.hrgate.monitor.C0:FF:EE:00:00:01")
  static let other = HKSource(name: "Other", bundleIdentifier: "org.hrgate.monitor.C0:FF:EE:00:00:02")
  static let watch = HKSource(name: "Watch", bundleIdentifier: "com.example.watch")

  /// The days from midnight to midnight. One of them has 23 or 25 hours.
  private(set) var days: [DateInterval] = []
  /// The periods in which the first strap was worn, in whole seconds.
  private(set) var worn: [DateInterval] = []
  private var samples: [(source: HKSource, sample: HKSample)] = []
  private var generator: SeededGenerator

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: Self.zone))
    // Even seeds use the day on which clocks are set forward, odd ones the day on which they are set back.
    let change = DateComponents(
      timeZone: calendar.timeZone, year: 2024, month: seed.isMultiple(of: 2) ? 3 : 10,
      day: seed.isMultiple(of: 2) ? 31 : 27)
    let middle = try #require(calendar.date(from: change))
    for offset in -2...1 {
      let start = try #require(calendar.date(byAdding: .day, value: offset, to: middle))
      let end = try #require(calendar.date(byAdding: .day, value: 1, to: start))
      days.append(DateInterval(start: start, end: end))
    }
    for day in days {
      watchOver(day)
      let lengths = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
        Double(Int.random(in: 600...1800, using: &generator))
      }
      for (number, length) in lengths.enumerated() {
        let hour = day.duration / Double(lengths.count) * Double(number)
        let start = day.start + hour + Double(Int.random(in: 0..<20_000, using: &generator))
        try wear(DateInterval(start: start, duration: length), as: Self.strap)
      }
      // Both straps are worn past midnight.
      try wear(DateInterval(start: day.end - 200, duration: 420), as: Self.strap)
      try wear(DateInterval(start: day.end - 100, duration: 200), as: Self.other)
      burn(day)
    }
  }

  private mutating func millionths() -> Double {
    Double(Int.random(in: 0..<1_000_000, using: &generator)) / 1e6
  }

  private mutating func add(
    _ value: Double, _ unit: String, _ type: HKQuantityTypeIdentifier, _ start: Date, _ end: Date? = nil,
    as source: HKSource
  ) {
    samples.append(
      (
        source,
        HKQuantitySample(
          type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
          start: start, end: end ?? start)
      ))
  }

  private mutating func watchOver(_ day: DateInterval) {
    var time = day.start + millionths()
    while time < day.end {
      let rate = 50 + Double(Int.random(in: 0..<500, using: &generator)) / 10
      add(rate, "count/min", .heartRate, time, as: Self.watch)
      // Sometimes the watch is taken off for hours.
      let isAway = Int.random(in: 0..<40, using: &generator) == 0
      time += (isAway ? 9000 : Double(Int.random(in: 200..<700, using: &generator))) + millionths()
    }
  }

  private mutating func wear(_ span: DateInterval, as source: HKSource) throws {
    if source == Self.strap { worn.append(span) }
    var (time, rate, ticks) = (span.start + millionths(), 60.0 + 90 * millionths(), [Int]())
    var began = time
    func run(_ ticks: [Int], _ start: Date) throws -> HKHeartbeatSeriesSample {
      try .beats(ticks, at: start.timeIntervalSince1970)
    }
    while time < span.end {
      rate = min(190, max(45, rate + Double(Int.random(in: -3...3, using: &generator))))
      add(rate, "count/min", .heartRate, time, as: source)
      // A premature beat or a missed one is an artifact.
      let factor = Bool.random(using: &generator) ? 0.6 : 2.1
      let isArtefact = Int.random(in: 0..<60, using: &generator) == 0
      let usual: Double = 61_440 / rate
      let interval = Int(isArtefact ? usual * factor : usual) + Int.random(in: -20...20, using: &generator)
      ticks.append(interval)
      let step = Double(interval) / 1024
      let isHole = Int.random(in: 0..<900, using: &generator) == 0
      time += isHole ? 40 : step
      if isHole || ticks.count == 300 {
        samples.append((source, try run(ticks, began)))
        (ticks, began) = ([], time)
      }
    }
    if !ticks.isEmpty { samples.append((source, try run(ticks, began))) }
  }

  private mutating func burn(_ day: DateInterval) {
    var time = day.start + 400 * millionths()
    while time < day.end {
      let length = Double(Int.random(in: 60..<1500, using: &generator))
      add(
        Double(Int.random(in: 1..<400, using: &generator)) / 4, "kJ", .activeEnergyBurned, time,
        time + length,
        as: Self.strap)
      time += length + Double(Int.random(in: 0..<4000, using: &generator))
    }
  }

  /// Saves all samples out of order. Queries in between fill the cache with statistics that later samples
  /// invalidate.
  mutating func save(inStoreAt path: String) async throws {
    let system = try SystemStore(at: path)
    let chunks = 12
    var parts = (0..<chunks).map { part in
      samples.enumerated().filter { $0.offset % chunks == part }.map(\.element)
    }
    parts.shuffle(using: &generator)
    for (number, part) in parts.enumerated() {
      for (source, own) in Dictionary(grouping: part, by: \.source) {
        try await system.healthStore.acting(as: source).save(own.map(\.sample))
      }
      guard number.isMultiple(of: 5) else { continue }
      for every in ["1h", "1d"] { _ = try Command.hrgate("stats", "--every", every, "--store", path) }
    }
    let gone = (0..<20).compactMap { _ in samples.randomElement(using: &generator) }
    for (source, sample) in gone {
      // A sample that was chosen twice is already deleted.
      try? await system.healthStore.acting(as: source).delete(sample)
    }
  }
}
