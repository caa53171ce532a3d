import HealthKit
import Testing

@Suite struct QuantitySeriesTests {
  private let steps = HKQuantityType(.stepCount)

  private func beats(_ value: Double) -> HKQuantity { HKQuantity(unit: beatsPerMinute, doubleValue: value) }
  private func count(_ value: Double) -> HKQuantity { HKQuantity(unit: .count(), doubleValue: value) }
  private func interval(_ start: Double, _ end: Double) -> DateInterval {
    DateInterval(start: moment(start), end: moment(end))
  }

  private func builder(
    _ store: HKHealthStore, _ type: HKQuantityType = HKQuantityType(.heartRate), device: HKDevice? = nil
  ) -> HKQuantitySeriesSampleBuilder {
    HKQuantitySeriesSampleBuilder(
      healthStore: store, quantityType: type, startDate: moment(), device: device)
  }

  private func quantities(
    _ options: HKQuantitySeriesSampleQueryDescriptor.Options = [], predicate: NSPredicate? = nil,
    in store: HKHealthStore
  ) async throws -> [HKQuantitySeriesSampleQueryDescriptor.Result] {
    let query = HKQuantitySeriesSampleQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.heartRate), predicate: predicate), options: options)
    var results: [HKQuantitySeriesSampleQueryDescriptor.Result] = []
    for try await result in query.results(for: store) { results.append(result) }
    return results
  }

  @Test(arguments: StoreDepth.allCases)
  func `a discrete series is read with its minimum, average, maximum and latest value`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withStore { store in
      let builder = builder(store, device: .local())
      // Quantities may be inserted in any order. If two have the same start, the last one counts.
      try builder.insert(beats(90), at: moment(3))
      try builder.insert(beats(60), at: moment(1))
      try builder.insert(beats(200), at: moment(2))
      try builder.insert(beats(72), at: moment(2))
      let made = try await builder.finishSeries(metadata: ["k": 1], endDate: moment(10))
      let found = try await everyHeartRate().result(for: store)
      #expect(found == made && found.count == 1)
      for sample in [try #require(made.first), try #require(found.first)] {
        let sample = try #require(sample as? HKDiscreteQuantitySample)
        #expect(sample.count == 3)
        #expect(sample.startDate == moment() && sample.endDate == moment(10))
        #expect(sample.minimumQuantity == beats(60) && sample.maximumQuantity == beats(90))
        #expect(sample.quantity == beats(74) && sample.averageQuantity == sample.quantity)
        #expect(sample.mostRecentQuantity == beats(90))
        #expect(sample.mostRecentQuantityDateInterval == interval(3, 3))
        #expect(sample.device == .local() && sample.metadata?["k"] as? Int == 1)
      }
    }
  }

  @Test func `the value of a cumulative series is the sum of its quantities`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store, steps)
    for index in 0..<10 {
      try builder.insert(count(5), for: interval(Double(index) * 60, Double(index) * 60 + 60))
    }
    let made = try await builder.finishSeries(metadata: nil)
    let found = try #require(
      try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: steps)], sortDescriptors: [])
        .result(
          for: store
        ).first as? HKCumulativeQuantitySample)
    #expect(made == [found])
    #expect(found.count == 10 && found.sumQuantity == count(50) && found.quantity == count(50))
    #expect(found.endDate == moment(600))
  }

  @Test func `statistics count each quantity in its interval`() async throws {
    let packed = try HKHealthStore.inMemory()
    let plain = try HKHealthStore.inMemory()
    let builder = builder(packed, steps)
    var samples: [HKQuantitySample] = []
    for minute in 0..<180 {
      let time = interval(Double(minute) * 60, Double(minute) * 60 + 60)
      try builder.insert(count(Double(minute % 7)), for: time)
      samples.append(
        HKQuantitySample(type: steps, quantity: count(Double(minute % 7)), start: time.start, end: time.end))
    }
    try await builder.finishSeries(metadata: nil)
    try await plain.save(samples)
    func hours(_ predicate: NSPredicate?, _ store: HKHealthStore) async throws -> [String] {
      let query = HKStatisticsCollectionQueryDescriptor(
        predicate: .quantitySample(type: steps, predicate: predicate),
        options: [.cumulativeSum, .mostRecent, .duration], anchorDate: moment(),
        intervalComponents: DateComponents(hour: 1))
      return try await query.result(for: store).statistics().map {
        "\($0.startDate) \($0.endDate) \($0.sumQuantity()?.description ?? "") \($0.mostRecentQuantity()?.description ?? "") "
          + "\($0.mostRecentQuantityDateInterval()?.description ?? "") \($0.duration()?.description ?? "")"
      }
    }
    for predicate in [
      nil, HKQuery.predicateForSamples(withStart: moment(1000), end: moment(5000), options: []),
      HKQuery.predicateForSamples(withStart: moment(1000), end: moment(5000), options: .strictStartDate),
      HKQuery.predicateForSamples(withStart: moment(1000), end: nil, options: .strictEndDate),
    ] {
      let expected = try await hours(predicate, plain)
      #expect(!expected.isEmpty)
      #expect(try await hours(predicate, packed) == expected)
    }
  }

  @Test func `inserting an invalid quantity is errorInvalidArgument`() async throws {
    let builder = builder(try .inMemory())
    func refuse(_ quantity: HKQuantity, _ date: Date, _ location: SourceLocation = #_sourceLocation) {
      #expect(sourceLocation: location) { try builder.insert(quantity, at: date) } throws: {
        ($0 as? HKError)?.code == .errorInvalidArgument
      }
    }
    refuse(beats(60), moment(-0.001))
    refuse(count(60), moment(1))
    refuse(beats(.nan), moment(1))
    refuse(beats(.infinity), moment(1))
    refuse(beats(60), Date(timeIntervalSince1970: .nan))
    refuse(beats(60), .distantFuture.addingTimeInterval(1e300))
    try builder.insert(beats(60), at: moment())
  }

  @Test
  func
    `an early end and a series without quantities are errors, and the builder stays usable`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    await expectFailure(.errorInvalidArgument) { try await builder.finishSeries(metadata: nil) }
    try builder.insert(beats(60), for: interval(1, 5))
    for end in [moment(4.9), moment(-1)] {
      await expectFailure(.errorInvalidArgument) {
        try await builder.finishSeries(metadata: nil, endDate: end)
      }
    }
    await expectFailure(.errorInvalidArgument) { try await builder.finishSeries(metadata: ["k": [1]]) }
    #expect(try await everyHeartRate().result(for: store).isEmpty)
    #expect(try await builder.finishSeries(metadata: nil, endDate: moment(5)).count == 1)
    expectFailure(.errorInvalidArgument) { try builder.insert(beats(60), at: moment(6)) }
    await expectFailure(.errorInvalidArgument) { try await builder.finishSeries(metadata: nil) }
  }

  @Test func `using a discarded builder traps, like Apple's exception`() async {
    await #expect(processExitsWith: .failure) {
      let builder = HKQuantitySeriesSampleBuilder(
        healthStore: try .inMemory(), quantityType: HKQuantityType(.heartRate), startDate: moment(),
        device: nil)
      builder.discard()
      try builder.insert(HKQuantity(unit: beatsPerMinute, doubleValue: 60), at: moment())
    }
  }

  @Test func `very many quantities become several samples, which cannot have a sync identifier`() async throws
  {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    for index in 0...HKQuantitySeriesSampleBuilder.greatestCount {
      try builder.insert(beats(60), at: moment(Double(index) / 100))
    }
    let sync: [String: Any] = [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: 1]
    await expectFailure(.errorInvalidArgument) { try await builder.finishSeries(metadata: sync) }
    let samples = try await builder.finishSeries(metadata: nil, endDate: moment(10_000))
    #expect(samples.map(\.count) == [HKQuantitySeriesSampleBuilder.greatestCount, 1])
    #expect(samples.first?.startDate == moment() && samples.last?.endDate == moment(10_000))
    #expect(try await quantities(in: store).count == HKQuantitySeriesSampleBuilder.greatestCount + 1)
  }

  @Test func `a long series is split into samples of an hour, but not with a sync identifier`()
    async throws
  {
    func hours(_ metadata: [String: Any]?, _ intervals: [DateInterval]) async throws -> [DateInterval] {
      let builder = builder(try HKHealthStore.inMemory())
      for interval in intervals { try builder.insert(beats(60), for: interval) }
      return try await builder.finishSeries(metadata: metadata).map {
        DateInterval(start: $0.startDate, end: $0.endDate)
      }
    }
    let halves = (0..<5).map { interval(Double($0) * 1_800, Double($0 + 1) * 1_800) }
    #expect(
      try await hours(nil, halves) == [interval(0, 3_600), interval(3_600, 7_200), interval(7_200, 9_000)])
    let sync: [String: Any] = [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: 1]
    #expect(try await hours(sync, halves) == [interval(0, 9_000)])
    // A single quantity that is longer than an hour is not split.
    #expect(
      try await hours(nil, [interval(0, 60), interval(60, 9_000), interval(9_000, 9_060)])
        == [interval(0, 60), interval(60, 9_000), interval(9_000, 9_060)])
  }

  @Test func `quantities are stored in the unit of the first`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    try builder.insert(beats(60.1), at: moment(0))
    try builder.insert(HKQuantity(unit: .hertz(), doubleValue: 2), at: moment(1))
    try await builder.finishSeries(metadata: nil)
    #expect(
      try await quantities(in: store).map { $0.quantity.description } == ["60.1 count/min", "120 count/min"])
  }

  @Test func `an archive contains the figures of a series`() async throws {
    let builder = builder(try .inMemory())
    for index in 0..<5 { try builder.insert(beats(60 + Double(index)), at: moment(Double(index))) }
    let made = try #require(try await builder.finishSeries(metadata: nil).first as? HKDiscreteQuantitySample)
    let found = try #require(try archived(made))
    #expect(found.count == 5 && found.minimumQuantity == beats(60) && found.maximumQuantity == beats(64))
    #expect(found.mostRecentQuantity == beats(64))
    #expect(found.mostRecentQuantityDateInterval == interval(4, 4))
    #expect(try isRefused(made, replacing: NSNumber(value: 5), with: NSNumber(value: -5)))
    #expect(try archived(heartRate(60, at: 0))?.count == 1)
  }

  // MARK: - Queries

  /// Returns a store with series from 0 to 20 s and from 5 to 25 s, and single samples at 7 and 30 s.
  private func filled() async throws -> HKHealthStore {
    let store = try HKHealthStore.inMemory()
    for start in [0.0, 5] {
      let builder = builder(store)
      for index in 0..<3 {
        try builder.insert(
          beats(60 + start + Double(index)),
          for: interval(start + Double(index) * 10, start + Double(index) * 10 + 1))
      }
      try await builder.finishSeries(metadata: nil)
    }
    try await store.save([heartRate(99, at: 7), heartRate(98, at: 30, lasting: 2)])
    return store
  }

  @Test func `quantities are returned by their own starts, across samples`() async throws {
    let results = try await quantities(in: filled())
    #expect(results.map { $0.quantity.doubleValue(for: beatsPerMinute) } == [60, 65, 99, 61, 66, 62, 67, 98])
    #expect(results.map(\.dateInterval).first == interval(0, 1))
    #expect(results.map(\.dateInterval).last == interval(30, 32))
    #expect(results.allSatisfy { $0.sample == nil })
  }

  @Test func `quantities can be returned sample by sample, with their samples`()
    async throws
  {
    let results = try await quantities([.orderByQuantitySampleStartDate, .includeSample], in: filled())
    // Both series start at 0 s, the start of their builders, so they are ordered by their insertion.
    #expect(results.map { $0.quantity.doubleValue(for: beatsPerMinute) } == [60, 61, 62, 65, 66, 67, 99, 98])
    #expect(results.map { $0.sample?.count } == [3, 3, 3, 3, 3, 3, 1, 1])
    #expect(results[0].sample == results[2].sample && results[2].sample != results[3].sample)
  }

  @Test func `the query with a handler marks the last quantity`() async throws {
    let store = try await filled()
    let (calls, continuation) = AsyncStream<(HKQuantity?, DateInterval?, HKQuantitySample?, Bool)>
      .makeStream()
    let query = HKQuantitySeriesSampleQuery(quantityType: HKQuantityType(.heartRate), predicate: nil) {
      _, quantity, interval, sample, done, error in
      #expect(error == nil)
      continuation.yield((quantity, interval, sample, done))
      if done { continuation.finish() }
    }
    #expect(!query.includeSample && !query.orderByQuantitySampleStartDate)
    query.includeSample = true
    query.orderByQuantitySampleStartDate = true
    store.execute(query)
    let received = await calls.reduce(into: []) { $0.append($1) }
    #expect(received.map(\.0) == [60, 61, 62, 65, 66, 67, 99, 98].map(beats))
    #expect(received.map(\.3) == Array(repeating: false, count: 7) + [true])
    #expect(received[3].2?.count == 3 && received[7].1 == interval(30, 32))
  }

  @Test func `without quantities the handler is called once with done`() async throws {
    let (calls, continuation) = AsyncStream<Bool>.makeStream()
    try HKHealthStore.inMemory().execute(
      HKQuantitySeriesSampleQuery(quantityType: HKQuantityType(.heartRate), predicate: nil) {
        _, quantity, interval, sample, done, error in
        continuation.yield(quantity == nil && interval == nil && sample == nil && done && error == nil)
        continuation.finish()
      })
    #expect(await calls.reduce(into: []) { $0.append($1) } == [true])
  }

  @Test func `quantities of several pages are returned completely and in order`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    for index in 0..<10_000 { try builder.insert(beats(Double(index)), at: moment(Double(index))) }
    try await builder.finishSeries(metadata: nil)
    try await store.save((0..<5000).map { heartRate(1, at: Double($0) + 0.5) })
    let results = try await quantities(in: store)
    #expect(results.count == 15_000)
    #expect(zip(results, results.dropFirst()).allSatisfy { $0.dateInterval.start < $1.dateInterval.start })
  }

  @Test func `deleting a series deletes its quantities`() async throws {
    let store = try await filled()
    try await store.delete(try await everyHeartRate().result(for: store).filter { $0.count > 1 })
    #expect(try await quantities(in: store).map(\.quantity) == [beats(99), beats(98)])
  }

  @Test func `a series replaced by its sync identifier is gone`() async throws {
    let store = try HKHealthStore.inMemory()
    for version in [1, 2] {
      let builder = builder(store)
      for index in 0..<3 {
        try builder.insert(beats(Double(60 * version + index)), at: moment(Double(index)))
      }
      try await builder.finishSeries(
        metadata: [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: version])
    }
    #expect(try await quantities(in: store).map(\.quantity) == [120, 121, 122].map(beats))
  }
}
