import Testing

@testable import HealthKit
@testable import HealthStorage
@testable import TestSupport

/// Makes random changes of a store by several sources within some hours: saves, late saves, replacements and
/// deletions.
struct RandomHistory {
  private static let hours = 12
  static let sources = ["one", "two", "three"].map { HKSource(name: $0, bundleIdentifier: $0) }

  let type: HKQuantityType
  private var generator: SeededGenerator
  private var stored: [(source: HKSource, sample: HKQuantitySample)] = []
  private let start = Date(timeIntervalSince1970: 472_222 * 3600)

  init(type: HKQuantityType, seed: UInt64) {
    self.type = type
    generator = SeededGenerator(seed: seed)
  }

  private var units: [HKUnit] {
    switch type.aggregationStyle {
    case .discreteArithmetic: [.degreeCelsius(), .degreeFahrenheit()]
    case .discreteEquivalentContinuousLevel: [.decibelAWeightedSoundPressureLevel()]
    default: [beatsPerMinute, HKUnit(from: "count/s")]
    }
  }

  /// The minimum duration of a sample, in seconds. Sound levels need a duration.
  private var shortest: Double { type.aggregationStyle == .discreteEquivalentContinuousLevel ? 0.5 : 0 }

  mutating func change(_ store: HKHealthStore, _ round: Int) async throws {
    let source = Self.sources.randomElement(using: &generator) ?? .default()
    switch round < 2 ? 0 : Int.random(in: 0..<8, using: &generator) {
    case 0:
      // Save samples over six hours, like those of a strap.
      let from = Double.random(in: 0..<4, using: &generator) * 3600
      try await save(stride(from: from, to: from + 6 * 3600, by: 11).map { $0.rounded() }, source, store)
    case 1:
      // Save a sample near the start of an hour.
      let bound = Double(Int.random(in: 0...Self.hours, using: &generator)) * 3600
      try await save([bound + Double(Int.random(in: -6...6, using: &generator))], source, store)
    case 2:
      try await save(
        [time(), time()], source, store, lasting: [10, 60, 4000, 3600].randomElement(using: &generator) ?? 0)
    case 3:
      try await replace(source, store)
    case 4:
      try await saveSeries(store)
    case 5:
      try await save([time()], source, store, unit: units.last)
    case 6:
      // Save dense samples with gaps. Some samples have equal times.
      var (times, time) = ([Double](), Double.random(in: 0..<10, using: &generator) * 3600)
      for _ in 0..<1500 {
        times.append((time * 4).rounded() / 4)
        time += Double.random(in: 0..<1, using: &generator) < 0.02 ? 30 : 1.5
        if Double.random(in: 0..<1, using: &generator) < 0.05 { time += 4 }
        if Double.random(in: 0..<1, using: &generator) < 0.02 { time -= 1.5 }
      }
      try await save(times, source, store)
    default:
      try await delete(store)
    }
  }

  private mutating func time() -> Double {
    Double(Int.random(in: 0..<Self.hours * 3600, using: &generator))
  }

  /// Returns a sample with a UUID like a gateway's, so that it can be compacted into a segment.
  private mutating func sample(
    _ seconds: Double, lasting duration: Double = 0, unit: HKUnit? = nil, metadata: [String: Any]? = nil
  ) throws -> HKQuantitySample {
    let (start, end) = (start + seconds, start + seconds + max(duration, shortest))
    let milliseconds = UInt64(Microseconds.clamped(end)) / 1000
    let high = milliseconds << 16 | 0x8000 | generator.next() & 0x0FFF
    let low = 1 << 63 | generator.next() & (1 << 62 - 1)
    return try HKQuantitySample.make(
      uuid: UUID(words: (high, low)), type: type,
      quantity: HKQuantity(
        unit: unit ?? units[0], doubleValue: Double.random(in: 35..<120, using: &generator)),
      start: start, end: end, device: nil, metadata: try metadata.map { try ObjectMetadata($0) })
  }

  private mutating func save(
    _ times: [Double], _ source: HKSource, _ store: HKHealthStore, lasting duration: Double = 0,
    unit: HKUnit? = nil
  ) async throws {
    let samples = try times.map { try sample($0, lasting: duration, unit: unit) }
    try await store.acting(as: source).save(samples)
    stored += samples.map { (source, $0) }
  }

  private mutating func replace(_ source: HKSource, _ store: HKHealthStore) async throws {
    let identifier = UUID().uuidString
    for version in 1...2 {
      let metadata: [String: Any] = [
        HKMetadataKeySyncIdentifier: identifier, HKMetadataKeySyncVersion: version,
      ]
      try await store.acting(as: source).save(try sample(time(), metadata: metadata))
    }
  }

  /// Saves a series of quantities. Half of the series cross the start of an hour.
  private mutating func saveSeries(_ store: HKHealthStore) async throws {
    let from = time()
    let builder = HKQuantitySeriesSampleBuilder(
      healthStore: store, quantityType: type, startDate: start + from, device: nil)
    for step in 0..<200 {
      let sample = try sample(from + Double(step) * 4)
      try builder.insert(
        sample.quantity, for: DateInterval(start: sample.startDate, end: sample.endDate))
    }
    _ = try await builder.finishSeries(metadata: nil)
  }

  private mutating func delete(_ store: HKHealthStore) async throws {
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !stored.isEmpty {
      let doomed = stored.remove(at: Int.random(in: stored.indices, using: &generator))
      try await store.acting(as: doomed.source).delete(doomed.sample)
    }
  }

  /// Returns a random statistics query. In half of the cases its bounds are starts of hours.
  mutating func request() -> WindowRequest {
    func bound(_ hours: ClosedRange<Int>) -> Date? {
      guard Int.random(in: 0..<4, using: &generator) > 0 else { return nil }
      let hour = Double(Int.random(in: hours, using: &generator)) * 3600
      return start + hour
        + Double([0, 0, 5, -5, 4, 1234].randomElement(using: &generator) ?? 0)
    }
    let options: [HKQueryOptions] = [
      [], .strictStartDate, .strictEndDate, [.strictStartDate, .strictEndDate],
    ]
    let components = [
      DateComponents(hour: 1), DateComponents(minute: 30), DateComponents(hour: 5), DateComponents(day: 1),
      nil,
    ]
    return WindowRequest(
      type: type,
      window: HKQuery.predicateForSamples(
        withStart: bound(-1...3), end: bound(6...14), options: options.randomElement(using: &generator) ?? []),
      anchor: start + Double([0, 600].randomElement(using: &generator) ?? 0),
      components: components.randomElement(using: &generator) ?? nil)
  }
}

/// A statistics query for a time window.
struct WindowRequest {
  let type: HKQuantityType
  let window: NSPredicate
  let anchor: Date
  /// The length of the intervals; nil for a single interval.
  let components: DateComponents?

  /// Returns the same query of the samples of one source.
  func of(_ source: HKSource) -> WindowRequest {
    let both = [HKQuery.predicateForObjects(from: source), window]
    return WindowRequest(
      type: type, window: NSCompoundPredicate(andPredicateWithSubpredicates: both), anchor: anchor,
      components: components)
  }

  /// Expects the same result with and without the saved hourly summaries.
  func expectEqual(in store: HKHealthStore, _ comment: Comment) async throws {
    let found = try await statistics(window, in: store)
    // The store does not recognize this compound as a time window, so it does not use the hourly summaries
    // and reads each sample.
    let any = NSCompoundPredicate(orPredicateWithSubpredicates: [
      NSPredicate(format: "%K > %@", HKPredicateKeyPathQuantity, least),
      NSPredicate(format: "%K <= %@", HKPredicateKeyPathQuantity, least),
    ])
    let each = NSCompoundPredicate(andPredicateWithSubpredicates: [window, any])
    let expected = try await statistics(each, in: store)
    #expect(found.count == expected.count, comment)
    for (one, other) in zip(found, expected) {
      let interval = DateInterval(start: one.startDate, end: max(one.startDate, one.endDate))
      expectEqual(one, other, "\(comment): \(PredicateTranslation(window)), \(interval)")
    }
  }

  private var least: HKQuantity { HKQuantity(unit: type.canonicalUnit, doubleValue: 0) }

  private func statistics(_ predicate: NSPredicate, in store: HKHealthStore) async throws -> [HKStatistics] {
    let options: HKStatisticsOptions = [
      .discreteAverage, .discreteMin, .discreteMax, .mostRecent, .duration, .separateBySource,
    ]
    let samples = HKSamplePredicate.quantitySample(type: type, predicate: predicate)
    guard let components else {
      do {
        return [
          try await HKStatisticsQueryDescriptor(predicate: samples, options: options).result(for: store)
        ].compactMap { $0 }
      } catch let error as HKError where error.code == .errorNoData {
        return []
      }
    }
    return try await HKStatisticsCollectionQueryDescriptor(
      predicate: samples, options: options, anchorDate: anchor, intervalComponents: components
    ).result(for: store).statistics()
  }

  private func expectEqual(_ one: HKStatistics, _ other: HKStatistics, _ comment: Comment) {
    #expect(one.startDate == other.startDate, comment)
    #expect(one.endDate == other.endDate, comment)
    #expect(one.sampleCount == other.sampleCount, comment)
    #expect(one.sources == other.sources, comment)
    #expect(one.minimumQuantity() == other.minimumQuantity(), comment)
    #expect(one.maximumQuantity() == other.maximumQuantity(), comment)
    #expect(one.mostRecentQuantity() == other.mostRecentQuantity(), comment)
    #expect(one.mostRecentQuantityDateInterval() == other.mostRecentQuantityDateInterval(), comment)
    #expect(one.duration() == other.duration(), comment)
    expectClose(one.averageQuantity(), other.averageQuantity(), comment)
    for source in other.sources ?? [] {
      #expect(one.minimumQuantity(for: source) == other.minimumQuantity(for: source), comment)
      #expect(one.maximumQuantity(for: source) == other.maximumQuantity(for: source), comment)
      #expect(one.mostRecentQuantity(for: source) == other.mostRecentQuantity(for: source), comment)
      #expect(
        one.mostRecentQuantityDateInterval(for: source) == other.mostRecentQuantityDateInterval(for: source),
        comment)
      #expect(one.duration(for: source) == other.duration(for: source), comment)
      expectClose(one.averageQuantity(for: source), other.averageQuantity(for: source), comment)
    }
  }

  private func expectClose(_ one: HKQuantity?, _ other: HKQuantity?, _ comment: Comment) {
    #expect((one == nil) == (other == nil), comment)
    guard let one, let other else { return }
    #expect(one.unit == other.unit, comment)
    #expect(abs(one.value - other.value) <= 1e-12 * abs(other.value), comment)
  }
}
