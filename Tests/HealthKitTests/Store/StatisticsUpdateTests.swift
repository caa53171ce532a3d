import HealthKit
import HealthSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct StatisticsUpdateTests {
  private static let type = HKQuantityType(.heartRate)
  private static let minute = DateComponents(minute: 1)

  private var descriptor: HKStatisticsCollectionQueryDescriptor {
    HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: Self.type), options: .discreteMax, anchorDate: moment(),
      intervalComponents: Self.minute)
  }

  @Test(arguments: StoreDepth.allCases)
  func `results continue with changed statistics`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let first = heartRate(60, at: 0)
      try await store.save([first, heartRate(70, at: 60)])
      var results = descriptor.results(for: store).makeAsyncIterator()
      let initial = try #require(try await results.next())
      #expect(initial.updatedStatistics == nil)
      #expect(initial.statisticsCollection.statistics().map { $0.greatest } == [60, 70])
      try await store.save([heartRate(90, at: 70), heartRate(80, at: 200)])
      let second = try #require(try await results.next())
      #expect(second.updatedStatistics?.map(\.startDate) == [moment(60), moment(180)])
      #expect(second.updatedStatistics?.map(\.greatest) == [90, 80])
      #expect(second.statisticsCollection.statistics().map(\.greatest) == [60, 90, 80])
      // The interval whose only sample was deleted is reported as empty.
      try await store.delete(first)
      let third = try #require(try await results.next())
      #expect(third.updatedStatistics?.map(\.startDate) == [moment(0)])
      #expect(third.updatedStatistics?.map(\.greatest) == [nil])
      #expect(third.statisticsCollection.statistics().count == 2)
    }
  }

  @Test func aSampleOfTheSameValueIsAChangeAndOneOfAnotherTypeIsNot() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    var results = descriptor.results(for: store).makeAsyncIterator()
    _ = try await results.next()
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 1),
        start: moment(),
        end: moment()))
    try await store.save(heartRate(60, at: 1))
    let update = try #require(try await results.next()?.updatedStatistics?.first)
    #expect(update.sampleCount == 2)
  }

  @Test(arguments: StoreDepth.allCases)
  func `a different order of sources is a change`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let steps = HKQuantityType(.stepCount)
      for (source, count) in [("old", 1.0), ("new", 2)] {
        try await store.acting(as: HKSource(name: source, bundleIdentifier: source)).save(
          HKQuantitySample(
            type: steps, quantity: HKQuantity(unit: .count(), doubleValue: count), start: moment(),
            end: moment(10)))
      }
      let descriptor = HKStatisticsCollectionQueryDescriptor(
        predicate: .quantitySample(type: steps), options: .cumulativeSum, anchorDate: moment(),
        intervalComponents: Self.minute)
      var results = descriptor.results(for: store).makeAsyncIterator()
      let before = try await results.next()?.statisticsCollection.statistics().first?.sumQuantity()
      #expect(before == HKQuantity(unit: .count(), doubleValue: 2))
      try await store.user.setSourceOrder(["old", "new"], of: steps)
      let after = try await results.next()?.updatedStatistics?.first?.sumQuantity()
      #expect(after == HKQuantity(unit: .count(), doubleValue: 1))
    }
  }

  @Test func aDeletionThatChangesNoStatisticsIsNoResult() async throws {
    let store = try HKHealthStore.inMemory()
    var later = descriptor
    later.predicate = .quantitySample(
      type: Self.type, predicate: HKQuery.predicateForSamples(withStart: moment(60), end: nil))
    let early = (0..<20).map { heartRate(60, at: Double($0)) }
    try await store.save(early)
    var results = later.results(for: store).makeAsyncIterator()
    _ = try await results.next()
    async let saving: Void = { [descriptor] in
      // Wait until another query has reported each deletion. So the query under test could also see the
      // deletions one by one.
      var everything = descriptor.results(for: store).makeAsyncIterator()
      _ = try await everything.next()
      for sample in early {
        try await store.delete(sample)
        #expect(try await everything.next()?.updatedStatistics?.map(\.startDate) == [moment(0)])
      }
      try await store.save(heartRate(70, at: 60))
    }()
    #expect(try await results.next()?.updatedStatistics?.map(\.startDate) == [moment(60)])
    try await saving
  }

  @Test func aCancelledTaskEndsTheResults() async throws {
    let store = try HKHealthStore.inMemory()
    let (started, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [descriptor] in
      var count = 0
      for try await _ in descriptor.results(for: store) {
        count += 1
        signal.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == 1)
  }

  private enum Call: Sendable {
    case initial([Double?])
    case update(HKStatistics?, [Double?])
  }

  private func query(_ store: HKHealthStore) -> (HKStatisticsCollectionQuery, AsyncStream<Call>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Call.self)
    let query = HKStatisticsCollectionQuery(
      quantityType: Self.type, quantitySamplePredicate: nil, options: .discreteMax, anchorDate: moment(),
      intervalComponents: Self.minute)
    query.initialResultsHandler = { _, collection, _ in
      continuation.yield(.initial(collection?.statistics().map(\.greatest) ?? []))
    }
    query.statisticsUpdateHandler = { _, statistics, collection, _ in
      continuation.yield(.update(statistics, collection?.statistics().map(\.greatest) ?? []))
    }
    store.execute(query)
    return (query, stream)
  }

  @Test(arguments: StoreDepth.allCases)
  func theUpdateHandlerIsCalledForEachIntervalThatChanged(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await store.save(heartRate(60, at: 0))
      let (query, stream) = query(store)
      var calls = stream.makeAsyncIterator()
      guard case .initial([60]) = await calls.next() else {
        Issue.record("no initial results")
        return
      }
      try await store.save([heartRate(70, at: 1), heartRate(80, at: 61)])
      for start in [moment(0), moment(60)] {
        guard case .update(let statistics?, [70, 80]) = await calls.next() else {
          Issue.record("no update")
          return
        }
        #expect(statistics.startDate == start)
      }
      store.stop(query)
    }
  }

  @Test func `a stopped query calls no handler`() async throws {
    let store = try HKHealthStore.inMemory()
    let stopped = Mutex(0)
    let query = HKStatisticsCollectionQuery(
      quantityType: Self.type, quantitySamplePredicate: nil, options: .discreteMax, anchorDate: moment(),
      intervalComponents: Self.minute)
    await withCheckedContinuation { done in
      query.initialResultsHandler = { _, _, _ in done.resume() }
      query.statisticsUpdateHandler = { _, _, _, _ in stopped.withLock { $0 += 1 } }
      store.execute(query)
    }
    store.stop(query)
    let (witness, stream) = self.query(store)
    var calls = stream.makeAsyncIterator()
    _ = await calls.next()
    for value in [60.0, 70, 80] {
      try await store.save(heartRate(value, at: 0))
      guard case .update = await calls.next() else {
        Issue.record("no update")
        return
      }
    }
    store.stop(witness)
    #expect(stopped.withLock { $0 } == 0)
  }

  @Test func theHandlersCannotBeSetAfterExecution() async {
    await #expect(processExitsWith: .failure) {
      let store = try HKHealthStore.inMemory()
      let query = HKStatisticsCollectionQuery(
        quantityType: HKQuantityType(.heartRate), quantitySamplePredicate: nil, options: .discreteMax,
        anchorDate: moment(), intervalComponents: DateComponents(minute: 1))
      store.execute(query)
      query.statisticsUpdateHandler = { _, _, _, _ in }
    }
  }
}

extension HKStatistics {
  fileprivate var greatest: Double? { maximumQuantity()?.doubleValue(for: beatsPerMinute) }
}
