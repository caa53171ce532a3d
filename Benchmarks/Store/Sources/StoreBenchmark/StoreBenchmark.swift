import HealthKit

/// Measures the store through the HealthKit API. Called by `Benchmarks/run store`.
///
///     StoreBenchmark save COUNT BATCH PATH     saves heart rates into a new store
///     StoreBenchmark fill COUNT PATH           the same in large batches, not measured
///     StoreBenchmark statistics raw|kept PATH  hourly average, minimum, and maximum of all samples
///     StoreBenchmark page PATH                 a hundred samples from random positions
///     StoreBenchmark objects PATH              a hundred thousand samples with all their properties
///     StoreBenchmark anchored PATH             the changes after a thousand further samples
///     StoreBenchmark beats COUNT PATH          heartbeats into a new store, in series of five minutes
///
/// Each prints CPU seconds and a count.
@main enum StoreBenchmark {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("save", 4): try await save(number(arguments[1]), number(arguments[2]), arguments[3])
    case ("fill", 3): try await fill(number(arguments[1]), arguments[2])
    case ("statistics", 3): try await statistics(isRaw: arguments[1] == "raw", arguments[2])
    case ("page", 2): try await page(arguments[1])
    case ("objects", 2): try await objects(arguments[1])
    case ("anchored", 2): try await anchored(arguments[1])
    case ("beats", 3): try await beats(number(arguments[1]), arguments[2])
    default: fatalError("usage: see StoreBenchmark.swift")
    }
  }

  private static func open(_ path: String) throws -> HKHealthStore {
    try HKHealthStore(configuration: .init(location: .file(path), decision: .everything))
  }

  private static func number(_ text: String) -> Int {
    guard let number = Int(text) else { fatalError("not a number: \(text)") }
    return number
  }

  // MARK: - Saving

  private static func save(_ count: Int, _ batch: Int, _ path: String) async throws {
    let store = try open(path)
    // The samples are created before the measurement, because the SampleCreation benchmark measures that
    // cost.
    let samples = HeartRates().samples(0..<count)
    let seconds = try await CPUTime.measure {
      for from in stride(from: 0, to: count, by: batch) {
        try await store.save(Array(samples[from..<min(from + batch, count)]))
      }
    }
    print(seconds, Int(Double(count) / seconds))
  }

  private static func fill(_ count: Int, _ path: String) async throws {
    let store = try open(path)
    let rates = HeartRates()
    let seconds = try await CPUTime.measure {
      for from in stride(from: 0, to: count, by: 20_000) {
        try await store.save(rates.samples(from..<min(from + 20_000, count)))
      }
    }
    print(seconds, count)
  }

  private static func beats(_ count: Int, _ path: String) async throws {
    let store = try open(path)
    let inSeries = 350
    let seconds = try await CPUTime.measure {
      for first in stride(from: 0, to: count, by: inSeries) {
        let builder = HKHeartbeatSeriesBuilder(
          healthStore: store, device: nil, start: HeartRates.start + Double(first))
        var time = 0.0
        for beat in first..<min(first + inSeries, count) {
          // Beat-to-beat intervals vary, in the strap's unit of 1/1024 s.
          time += Double(700 + beat &* 7919 % 331) / 1024
          try await builder.addHeartbeat(at: time, precededByGap: false)
        }
        _ = try await builder.finishSeries()
      }
    }
    print(seconds, count)
  }

  // MARK: - Queries

  private static func statistics(isRaw: Bool, _ path: String) async throws {
    let store = try open(path)
    let all = HKQuery.predicateForSamples(withStart: .distantPast, end: nil)
    // The store uses its saved hourly statistics only if the predicate is just a time range. OR-ing `all`
    // with this predicate, which matches no sample, makes the store read all samples instead.
    let none = HKQuery.predicateForObjects(withMetadataKey: "none")
    let query = HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(
        type: HeartRates.type,
        predicate: isRaw ? NSCompoundPredicate(orPredicateWithSubpredicates: [all, none]) : all),
      options: [.discreteAverage, .discreteMin, .discreteMax],
      anchorDate: Date(timeIntervalSince1970: 0), intervalComponents: DateComponents(hour: 1))
    var hours = 0
    let seconds = try await CPUTime.measure { hours = try await query.result(for: store).statistics().count }
    print(seconds, hours)
    // Wait until the statistics that the query computed are written.
    try await Task.sleep(for: .seconds(2))
  }

  /// Prints the mean CPU time of reading a page of a hundred samples.
  private static func page(_ path: String) async throws {
    let store = try open(path)
    let last = try await query(from: nil, ascending: false, 1).result(for: store).first?.startDate
    let span = last.map { Int($0.timeIntervalSince(HeartRates.start)) } ?? 0
    let pages = 200
    var found = 0
    let seconds = try await CPUTime.measure {
      for page in 0..<pages {
        let from = HeartRates.start + Double(page * 7919 * 1009 % max(span - 100, 1))
        found += try await query(from: from, ascending: page % 2 == 0, 100).result(for: store).count
      }
    }
    print(seconds / Double(pages), found / pages)
  }

  /// Prints the mean CPU time of several queries for different samples. Reads the quantity, date, UUID and
  /// metadata of each sample.
  private static func objects(_ path: String) async throws {
    let store = try open(path)
    let first = try await query(from: .distantPast, ascending: true, 1).result(for: store).first?.startDate
    let rounds = 5
    var (found, sum) = (0, 0.0)
    let seconds = try await CPUTime.measure {
      for round in 0..<rounds {
        let from = (first ?? HeartRates.start) + Double(round * 250_000)
        let samples = try await query(from: from, ascending: true, 100_000).result(for: store)
        for sample in samples {
          sum += sample.quantity.doubleValue(for: HeartRates.unit) + sample.startDate.timeIntervalSince(from)
          found += sample.uuid.uuid.0 == 0 && sample.metadata == nil ? 0 : 1
        }
      }
    }
    guard sum.isFinite else { fatalError("a sum of finite numbers is not finite") }
    print(seconds / Double(rounds), found / rounds)
  }

  /// Returns samples from a date on, or before it if descending.
  private static func query(
    from date: Date?, ascending: Bool, _ limit: Int
  ) -> HKSampleQueryDescriptor<HKQuantitySample> {
    let window = date.map {
      HKQuery.predicateForSamples(withStart: ascending ? $0 : nil, end: ascending ? nil : $0)
    }
    return HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HeartRates.type, predicate: window)],
      sortDescriptors: [SortDescriptor(\.startDate, order: ascending ? .forward : .reverse)], limit: limit)
  }

  private static func anchored(_ path: String) async throws {
    let store = try open(path)
    func changes(_ anchor: HKQueryAnchor?, _ predicate: NSPredicate?) async throws
      -> HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Result
    {
      try await HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: HeartRates.type, predicate: predicate)], anchor: anchor
      ).result(for: store)
    }
    // No sample matches, so only the anchor is returned.
    let never = HKQuery.predicateForSamples(withStart: .distantFuture, end: nil)
    let anchor = try await changes(nil, never).newAnchor
    let last = try await query(from: nil, ascending: false, 1).result(for: store).first?.startDate
    let next = last.map { Int($0.timeIntervalSince(HeartRates.start)) + 1 } ?? 0
    try await store.save(HeartRates().samples(next..<next + 1000))
    _ = try await changes(anchor, nil)
    var found = 0
    let rounds = 20
    let seconds = try await CPUTime.measure {
      for _ in 0..<rounds { found = try await changes(anchor, nil).addedSamples.count }
    }
    print(seconds / Double(rounds), found)
  }
}
