import HealthSystem
import Testing

@testable import HealthKit
@testable import HealthStorage
@testable import TestSupport

/// Tests that statistics of samples in segments equal those of samples in rows.
@Suite struct PackedStatisticsTests {
  private static let type = HKQuantityType(.heartRate)
  private static let start: Int64 = 472_222 * HourSummary.length + 3_000_000_000

  /// Counts the groups of samples that were offered to a statistics computation, and the samples that were
  /// passed one by one.
  private struct Offers {
    var taken = 0
    var mostParts = 0
    /// The number of group parts that consist of a single sample.
    var lone = 0
    /// The number of groups in which several parts come from one source.
    var several = 0
    var single = 0
    var last = Int64.min
    var isInOrder = true
  }

  private static let kinds = [("a", "one"), ("a", "two"), ("b", "one")].map { monitor, name in
    var device = DeviceRecord()
    device.name = name
    let source = SourceRecord(bundleIdentifier: "org.hrgate.monitor.\(monitor)", name: monitor)
    let revision = SourceRevisionRecord(
      source: source, version: nil, productType: nil, operatingSystem: "1.0.0")
    return MeasuredKind(
      type: type.identifier, unit: "count/min",
      provenance: Provenance(revision: revision, device: device), metadata: nil, monitor: monitor)
  }

  /// Returns random commits of a gateway. Times are multiples of a quarter second, so that some are equal.
  private static func commits(_ generator: inout SeededGenerator) -> [[MeasuredQuantities]] {
    var (time, worn) = (start, kinds)
    return (0..<1200).map { number in
      time += 2_000_000
      if Int.random(in: 0..<20, using: &generator) == 0 {
        time += Int64.random(in: 8...160, using: &generator) * 250_000
      }
      // Change the worn straps from time to time, so that sometimes two kinds of samples of one source
      // overlap.
      if number % 60 == 0 {
        let absent = [0, 0, 1, 1, kinds.count].randomElement(using: &generator) ?? 0
        worn = kinds.indices.filter { $0 != absent }.map { kinds[$0] }
      }
      return worn.compactMap { kind in
        guard Int.random(in: 0..<3, using: &generator) > 0 else { return nil }
        var measured = MeasuredQuantities(kind)
        var quarter = Int64.random(in: -2...4, using: &generator)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          measured.append(
            heartRate: Double(Int.random(in: 40...200, using: &generator)), at: time + quarter * 250_000,
            occurrence: 0)
          quarter += Int64.random(in: 0...4, using: &generator)
        }
        return measured
      }
    }
  }

  @Test(arguments: 1...UInt64(isLongRun ? 20 : 1))
  func `what was committed bit by bit has the figures of its samples`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let store = try HKHealthStore.inMemory()
    let database = try store.systemDatabase()
    for commit in Self.commits(&generator) {
      _ = try await database.save([], measured: commit, as: .segments)
    }
    let start = Date(timeIntervalSince1970: Double(Self.start) / 1e6)
    for components in [nil, DateComponents(hour: 1), DateComponents(minute: 7), DateComponents(second: 20)] {
      for (from, to) in [(nil, nil), (start + 30.25, start + 2100), (nil, start + 2500.5)] as [(Date?, Date?)]
      {
        let request = WindowRequest(
          type: Self.type, window: HKQuery.predicateForSamples(withStart: from, end: to), anchor: start,
          components: components)
        try await request.expectEqual(in: store, "seed \(seed)")
        await store.finishUpkeep()
        try await request.expectEqual(in: store, "seed \(seed), kept")
      }
    }
  }

  @Test func `instants are offered in order, and nothing is between them`() async throws {
    var offers = Offers()
    for seed in 1...4 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let database = try HKHealthStore.inMemory().systemDatabase()
      for commit in Self.commits(&generator) {
        _ = try await database.save([], measured: commit, as: .segments)
      }
      offers.last = .min
      offers = try await database.foldSummarised(
        .type(Self.type.identifier), type: Self.type.identifier, prepare: { [offers] _, _ in offers },
        { offers, sample in
          offers.single += 1
          if sample.start < offers.last { offers.isInOrder = false }
          offers.last = max(offers.last, sample.start)
        }, hour: { _, _ in false },
        instants: { offers, instants in
          offers.taken += 1
          offers.mostParts = max(offers.mostParts, instants.parts.count)
          offers.lone += instants.parts.count(where: { $0.starts.count == 1 })
          if Set(instants.parts.map(\.provenance)).count < instants.parts.count { offers.several += 1 }
          if instants.starts.lowerBound <= offers.last { offers.isInOrder = false }
          offers.last = instants.starts.upperBound
          return true
        })
    }
    #expect(offers.isInOrder)
    #expect(offers.taken > 10 && offers.single > 100 && offers.lone > 10 && offers.several > 10)
    #expect(offers.mostParts >= PackedInstants.mostParts)
  }

  @Test func `of several that begin last, the one that was stored last is the most recent`() async throws {
    let store = try HKHealthStore.inMemory()
    let database = try store.systemDatabase()
    // The sample that is stored last is in the segment that begins first.
    for (kind, starts, value) in [(2, [1, 2], 100.0), (0, [0, 2], 50)] as [(Int, [Int64], Double)] {
      var measured = MeasuredQuantities(Self.kinds[kind])
      for second in starts {
        measured.append(heartRate: value, at: Self.start + second * 1_000_000, occurrence: 0)
      }
      _ = try await database.save([], measured: [measured], as: .segments)
    }
    let query = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: Self.type), options: .mostRecent)
    #expect(try await query.result(for: store)?.mostRecentQuantity()?.value == 50)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `what is taken at once weighs as it does one by one`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (starts, values, time) = ([Int64](), [Double](), Self.start)
    for _ in 0..<200 {
      starts.append(time)
      values.append(Double(Int.random(in: 40...200, using: &generator)))
      time +=
        [0, 250_000, 1_000_000, 4_900_000, 5_000_000, 5_000_001, 20_000_000]
        .randomElement(using: &generator) ?? 0
    }
    var (singly, atOnce) = (TemporalWeights<Int>(sourceCount: 1), TemporalWeights<Int>(sourceCount: 1))
    var (sums, weights) = ([0.0, 0], [0.0, 0])
    func add(_ weighed: TemporalWeights<Int>.Weighed?, _ form: Int) {
      guard let weighed else { return }
      sums[form] += weighed.value * weighed.weight
      weights[form] += weighed.weight
    }
    for (start, value) in zip(starts, values) { add(singly.follow(start, of: 0, waiting: (value, 0)), 0) }
    add(singly.finish(0), 0)
    var place = 0
    while place < starts.count {
      let end = min(starts.count, place + Int.random(in: 1...5, using: &generator))
      let part = PackedInstants.Part(
        starts: Array(starts[place..<end]), values: Array(values[place..<end]), unit: 1, provenance: 1)
      let figures = try #require(
        InstantFigures(part, AverageWeighting(style: .discreteTemporallyWeighted)))
      sums[1] += figures.sum
      weights[1] += figures.weight
      for weighed in atOnce.follow(figures, of: 0, in: 0) { add(weighed, 1) }
      place = end
    }
    add(atOnce.finish(0), 1)
    #expect(sums[0] == sums[1] && weights[0] == weights[1])
  }
}
