import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Tests the priority of sources that measured at the same time (docs/healthkit-rules.md, §10.1).
@Suite struct SourceMergingTests {
  private static let type = HKQuantityType(.stepCount)
  private static let old = HKSource(name: "Old", bundleIdentifier: "com.example.old")
  private static let new = HKSource(name: "New", bundleIdentifier: "com.example.new")
  private static let watch = HKSource(name: "Watch", bundleIdentifier: "com.apple.health.6F1C")

  private func steps(
    _ count: Double, _ start: Double, _ end: Double, entered: Bool = false
  ) -> HKQuantitySample {
    HKQuantitySample(
      type: Self.type, quantity: HKQuantity(unit: .count(), doubleValue: count), start: moment(start),
      end: moment(end), metadata: entered ? [HKMetadataKeyWasUserEntered: true] : nil)
  }

  private func statistics(
    _ store: HKHealthStore, _ options: HKStatisticsOptions = .cumulativeSum
  ) async throws -> HKStatistics {
    try #require(
      try await HKStatisticsQueryDescriptor(predicate: .quantitySample(type: Self.type), options: options)
        .result(for: store))
  }

  private func sum(_ store: HKHealthStore) async throws -> Double? {
    try await statistics(store).sumQuantity()?.doubleValue(for: .count())
  }

  /// Returns a store to which these sources saved their samples in turn; the last source is the newest.
  private func store(_ samples: (HKSource, [HKQuantitySample])...) async throws -> HKHealthStore {
    let store = try HKHealthStore.inMemory()
    for (source, samples) in samples { try await store.acting(as: source).save(samples) }
    return store
  }

  @Test(arguments: StoreDepth.allCases)
  func `time covered by a source of higher priority is ignored`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await store.acting(as: Self.old).save([steps(50, 10, 20), steps(70, 0, 60)])
      try await store.acting(as: Self.new).save(steps(100, 0, 60))
      #expect(try await sum(store) == 100)
    }
  }

  @Test func gapsAreFilledProRataByTime() async throws {
    // The preferred source covers 0..<20 s and 40..<60 s. Of the other source's 90 steps in 60 s, only the 20
    // s between count.
    let store = try await store(
      (Self.old, [steps(90, 0, 60)]), (Self.new, [steps(5, 0, 20), steps(7, 40, 60)]))
    #expect(try await sum(store) == 5 + 30 + 7)
  }

  @Test func `a sample around one of higher priority counts on both sides`() async throws {
    let store = try await store(
      (Self.old, [steps(60, 0, 60), steps(60, 70, 130)]), (Self.new, [steps(1, 50, 80)]))
    #expect(try await sum(store) == 50 + 1 + 50)
  }

  @Test func `of three sources, the next in priority fills a gap`() async throws {
    let store = try await store(
      (Self.old, [steps(300, 0, 30)]), (Self.new, [steps(20, 0, 20)]), (Self.watch, [steps(1, 0, 10)]))
    #expect(try await sum(store) == 1 + 10 + 100)
  }

  @Test func samplesOfOneSourceDoNotCompete() async throws {
    let store = try await store(
      (Self.old, [steps(9, 0, 30)]), (Self.new, [steps(10, 0, 20), steps(20, 10, 30), steps(30, 5, 5)]))
    #expect(try await sum(store) == 60)
  }

  @Test func `adjacent samples both count`() async throws {
    let store = try await store(
      (Self.old, [steps(10, 10, 20)]), (Self.new, [steps(1, 0, 10), steps(1, 20, 30)]))
    #expect(try await sum(store) == 12)
  }

  @Test func `an instant within a sample of higher priority is ignored`() async throws {
    let store = try await store(
      (Self.old, [steps(1, 0, 0), steps(2, 10, 10), steps(4, 20, 20)]), (Self.new, [steps(100, 0, 20)]))
    // A sample that ends at 20 s does not cover the time 20 s.
    #expect(try await sum(store) == 104)
  }

  @Test func anInstantTakesNoTimeFromAnother() async throws {
    let store = try await store(
      (Self.old, [steps(100, 0, 20)]), (Self.new, [steps(1, 0, 0), steps(2, 10, 10)]))
    #expect(try await sum(store) == 103)
  }

  @Test func `of instants at one time, the source of highest priority counts`() async throws {
    let store = try await store(
      (Self.new, [steps(100, 5, 5)]), (Self.old, [steps(1, 5, 5), steps(2, 5, 5), steps(3, 6, 6)]))
    #expect(try await sum(store) == 6)
  }

  // MARK: - The order

  @Test func `the newest source has the highest default priority`() async throws {
    let store = try await store((Self.new, [steps(1, 0, 10)]), (Self.old, [steps(2, 0, 10)]))
    #expect(try await sum(store) == 2)
    #expect(try await store.user.sourceOrder(of: Self.type).map(\.source) == [Self.old, Self.new])
  }

  @Test func `Apple's devices have a higher default priority`() async throws {
    let store = try await store((Self.watch, [steps(1, 0, 10)]), (Self.new, [steps(2, 0, 10)]))
    #expect(try await sum(store) == 1)
  }

  @Test func `samples entered by the user have the highest priority`() async throws {
    let store = try await store(
      (Self.old, [steps(3, 0, 10, entered: true)]), (Self.new, [steps(20, 0, 20)]),
      (Self.watch, [steps(1, 0, 10)]))
    #expect(try await sum(store) == 3 + 10)
    try await store.user.setSourceOrder(
      [Self.watch, Self.new, Self.old].map(\.bundleIdentifier), of: Self.type)
    #expect(try await sum(store) == 3 + 10)
  }

  @Test(arguments: StoreDepth.allCases)
  func theUsersOrderForATypeIsFollowed(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      for (source, count) in [(Self.watch, 1.0), (Self.new, 2), (Self.old, 4)] {
        try await store.acting(as: source).save(steps(count, 0, 10))
      }
      #expect(try await sum(store) == 1)
      try await store.user.setSourceOrder([Self.new.bundleIdentifier], of: Self.type)
      #expect(try await sum(store) == 2)
      let order = try await store.user.sourceOrder(of: Self.type)
      #expect(order.map(\.source) == [Self.new, Self.watch, Self.old])
      #expect(order.map(\.isChosen) == [true, false, false])
      // The order of the sources for another type does not affect this type.
      try await store.user.setSourceOrder([Self.old.bundleIdentifier], of: HKQuantityType(.flightsClimbed))
      #expect(try await sum(store) == 2)
      try await store.user.setSourceOrder([], of: Self.type)
      #expect(try await sum(store) == 1)
    }
  }

  @Test func `an order with an unknown source is rejected without a change`() async throws {
    let store = try await store((Self.new, [steps(1, 0, 10)]), (Self.old, [steps(2, 0, 10)]))
    let order = [Self.new, Self.old].map(\.bundleIdentifier)
    try await store.user.setSourceOrder(order + order, of: Self.type)
    await expectFailure(.errorInvalidArgument) {
      try await store.user.setSourceOrder(["com.example.old", "x'; DROP TABLE sample"], of: Self.type)
    }
    #expect(try await sum(store) == 1)
  }

  // MARK: - Statistics without merging

  @Test func `each source has its own sum besides the merged one`() async throws {
    let store = try await store((Self.old, [steps(60, 0, 60)]), (Self.new, [steps(10, 0, 30)]))
    let result = try await statistics(store, [.cumulativeSum, .duration, .separateBySource])
    #expect(result.sumQuantity() == HKQuantity(unit: .count(), doubleValue: 40))
    #expect(result.sumQuantity(for: Self.old) == HKQuantity(unit: .count(), doubleValue: 60))
    #expect(result.sumQuantity(for: Self.new) == HKQuantity(unit: .count(), doubleValue: 10))
    #expect(result.duration() == HKQuantity(unit: .second(), doubleValue: 60))
    #expect(result.duration(for: Self.new) == HKQuantity(unit: .second(), doubleValue: 30))
    #expect(result.sampleCount == 2)
  }

  @Test func `the duration is the covered time`() async throws {
    let store = try await store(
      (Self.old, [steps(1, 0, 10), steps(1, 5, 8), steps(1, 20, 30)]), (Self.new, [steps(1, 5, 15)]))
    let result = try await statistics(store, [.duration, .separateBySource])
    #expect(result.duration() == HKQuantity(unit: .second(), doubleValue: 25))
    #expect(result.duration(for: Self.old) == HKQuantity(unit: .second(), doubleValue: 20))
  }

  @Test func `discrete types use all samples of all sources`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.acting(as: Self.old).save(heartRate(60, at: 0, lasting: 10))
    try await store.acting(as: Self.new).save(heartRate(90, at: 0, lasting: 10))
    let result = try #require(
      try await HKStatisticsQueryDescriptor(
        predicate: .quantitySample(type: HKQuantityType(.heartRate)),
        options: [.discreteAverage, .discreteMin]
      ).result(for: store))
    #expect(result.averageQuantity()?.doubleValue(for: beatsPerMinute) == 75)
    #expect(result.minimumQuantity()?.doubleValue(for: beatsPerMinute) == 60)
  }

  @Test func sampleQueriesNeverMerge() async throws {
    let store = try await store((Self.old, [steps(60, 0, 60)]), (Self.new, [steps(10, 0, 60)]))
    let found = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: Self.type)], sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    #expect(found.count == 2)
  }

  // MARK: - Intervals

  @Test func mergingAndBoundariesSplitTogether() async throws {
    // The intervals are minutes. The preferred source covers 30..<90 s, and the other one 0..<180 s with one
    // step per second.
    let store = try await store((Self.old, [steps(180, 0, 180)]), (Self.new, [steps(6, 30, 90)]))
    let result = try await HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: Self.type), options: [.cumulativeSum, .duration], anchorDate: moment(),
      intervalComponents: DateComponents(minute: 1)
    ).result(for: store)
    #expect(result.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) } == [33, 33, 60])
    #expect(result.statistics().map { $0.duration()?.doubleValue(for: .second()) } == [60, 60, 60])
  }

  @Test func thousandsOfNestedSamplesAreMerged() async throws {
    let count = 3000
    let samples = (0..<count).map { steps(Double(2 * (count - $0)), Double($0), Double(2 * count - $0)) }
    let store = try await store(
      (Self.old, [steps(0, 0, Double(2 * count))]), (Self.new, samples), (Self.watch, [steps(0, 0, 10)]))
    // Each sample has a step per second. The watch, which has priority, covers ten seconds: the first sample
    // loses 10 steps, the second 9, and so on.
    #expect(try await abs((sum(store) ?? 0) - Double(count * (count + 1) - 55)) < 1e-3)
  }

  @Test(arguments: 0..<(isLongRun ? 40 : 10) as Range<UInt64>)
  func `every sum equals that of the reference implementation`(_ seed: UInt64) async throws {
    var random = Linear(state: seed)
    let sources = [Self.old, Self.new, Self.watch]
    let store = try HKHealthStore.inMemory()
    var samples: [Timeline.Sample] = []
    for source in sources.indices {
      for _ in 0..<random.next(below: 12) {
        let start = random.next(below: 40)
        samples.append(
          Timeline.Sample(
            source: source, start: start, end: start + max(0, random.next(below: 25) - 5),
            value: Double(random.next(below: 100)), isEntered: random.next(below: 6) == 0))
      }
    }
    for sample in samples {
      try await store.acting(as: sources[sample.source]).save(
        steps(sample.value, Double(sample.start), Double(sample.end), entered: sample.isEntered))
    }
    let order = random.next(below: 2) == 0 ? [2, 0, 1] : [1, 2, 0]
    // Set the order only of sources that have samples, because others are unknown.
    let known = Set(samples.map(\.source))
    try await store.user.setSourceOrder(
      order.filter(known.contains).map { sources[$0].bundleIdentifier }, of: Self.type)
    let collection = try await HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: Self.type), options: .cumulativeSum, anchorDate: moment(3),
      intervalComponents: DateComponents(second: 7)
    ).result(for: store)
    for start in stride(from: -4, to: 66, by: 7) {
      let expected = Timeline(samples: samples, order: order).sum(start..<start + 7)
      let found = collection.statistics(for: moment(Double(start)))?.sumQuantity()?.doubleValue(for: .count())
      #expect(abs((found ?? 0) - expected) < 1e-9)
    }
  }
}

/// A simple reference implementation of the merge rule, second by second.
private struct Timeline {
  struct Sample {
    var source: Int
    var start: Int
    var end: Int
    var value: Double
    var isEntered: Bool
  }

  var samples: [Sample]
  var order: [Int]

  private func rank(_ sample: Sample) -> Int {
    (sample.isEntered ? 0 : 10) + (order.firstIndex(of: sample.source) ?? 5)
  }

  func sum(_ seconds: Range<Int>) -> Double {
    seconds.reduce(0) { sum, second in
      let running = samples.filter { $0.start <= second && second < $0.end }
      let instants = samples.filter { $0.start == second && $0.end == second }
      let believed = running.min { rank($0) < rank($1) }?.source
      let believedNow = (running + instants).min { rank($0) < rank($1) }?.source
      return sum
        + running.filter { $0.source == believed }.reduce(0) { $0 + $1.value / Double($1.end - $1.start) }
        + instants.filter { $0.source == believedNow }.reduce(0) { $0 + $1.value }
    }
  }
}

private struct Linear {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}
