import HealthKit
import Synchronization
import Testing

/// A kind of query for the tests below. If the kind supports several types, it queries heart rates.
struct QueryKind: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Creates a query that calls the handler whenever one of the query's own handlers is called, with its
  /// error.
  let make: @Sendable (NSPredicate?, @escaping @Sendable ((any Error)?) -> Void) -> HKQuery

  /// All kinds of queries that have a predicate.
  static let all: [QueryKind] = [
    QueryKind(testDescription: "samples") { predicate, handler in
      HKSampleQuery(
        sampleType: heartRateType, predicate: predicate, limit: HKObjectQueryNoLimit, sortDescriptors: nil
      ) { handler($2) }
    },
    QueryKind(testDescription: "samples of several types") { predicate, handler in
      HKSampleQuery(
        queryDescriptors: [HKQueryDescriptor(sampleType: heartRateType, predicate: predicate)],
        limit: HKObjectQueryNoLimit
      ) { handler($2) }
    },
    QueryKind(testDescription: "observer") { predicate, handler in
      HKObserverQuery(sampleType: heartRateType, predicate: predicate) { handler($2) }
    },
    QueryKind(testDescription: "anchored objects") { predicate, handler in
      HKAnchoredObjectQuery(
        type: heartRateType, predicate: predicate, anchor: nil, limit: HKObjectQueryNoLimit
      ) { handler($4) }
    },
    QueryKind(testDescription: "statistics") { predicate, handler in
      HKStatisticsQuery(
        quantityType: heartRateType, quantitySamplePredicate: predicate, options: .discreteMax
      ) { handler($2) }
    },
    QueryKind(testDescription: "statistics collection") { predicate, handler in
      let query = HKStatisticsCollectionQuery(
        quantityType: heartRateType, quantitySamplePredicate: predicate, options: .discreteMax,
        anchorDate: moment(), intervalComponents: DateComponents(hour: 1))
      query.initialResultsHandler = { handler($2) }
      return query
    },
    QueryKind(testDescription: "correlations") { predicate, handler in
      HKCorrelationQuery(
        type: HKCorrelationType(.bloodPressure), predicate: predicate, samplePredicates: nil
      ) { handler($2) }
    },
    QueryKind(testDescription: "sources") { predicate, handler in
      HKSourceQuery(sampleType: heartRateType, samplePredicate: predicate) { handler($2) }
    },
    QueryKind(testDescription: "documents") { predicate, handler in
      HKDocumentQuery(
        documentType: HKDocumentType(.CDA), predicate: predicate, limit: HKObjectQueryNoLimit,
        sortDescriptors: nil, includeDocumentData: false
      ) { handler($3) }
    },
    QueryKind(testDescription: "activity summaries") { predicate, handler in
      HKActivitySummaryQuery(predicate: predicate) { handler($2) }
    },
    QueryKind(testDescription: "quantities of series") { predicate, handler in
      HKQuantitySeriesSampleQuery(quantityType: heartRateType, predicate: predicate) { handler($5) }
    },
  ]
}

/// Tests the behavior that all kinds of queries share, from start to end.
@Suite(.timeLimit(.minutes(30))) struct QueryLifeTests {
  @Test(arguments: QueryKind.all)
  func `an error that prevents a query is passed to its handler`(_ kind: QueryKind) async throws {
    let store = try HKHealthStore.inMemory()
    let error = await withCheckedContinuation { done in
      store.execute(kind.make(NSPredicate { _, _ in true }) { done.resume(returning: $0) })
    }
    #expect((error as? HKError)?.code == .errorInvalidArgument)
  }

  @Test(arguments: QueryKind.all) @MainActor
  func `handlers are called on a background queue`(_ kind: QueryKind) async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    #expect(MainQueue.isCurrent)
    let isMain = await withCheckedContinuation { done in
      let isAnswered = Mutex(false)
      store.execute(
        kind.make(nil) { _ in
          guard isAnswered.withLock({ !exchange(&$0, with: true) }) else { return }
          done.resume(returning: MainQueue.isCurrent)
        })
    }
    #expect(!isMain)
  }

  @Test func `executing a query twice traps, like Apple's exception`() async {
    let again = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try HKHealthStore.inMemory()
      let query = HKSourceQuery(sampleType: heartRateType, samplePredicate: nil) { _, _, _ in }
      store.execute(query)
      store.execute(query)
    }
    let stopped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try HKHealthStore.inMemory()
      let query = HKSourceQuery(sampleType: heartRateType, samplePredicate: nil) { _, _, _ in }
      store.execute(query)
      store.stop(query)
      store.execute(query)
    }
    for result in [again, stopped] {
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("must not be executed twice"))
    }
  }

  @Test(arguments: QueryKind.all)
  func `stopping a query that is not running does nothing`(_ kind: QueryKind) async throws {
    let store = try HKHealthStore.inMemory()
    let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
    let query = kind.make(nil) { _ in continuation.yield() }
    store.stop(query)
    store.execute(query)
    var iterator = calls.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    store.stop(query)
    store.stop(query)
  }

  @Test(arguments: QueryKind.all)
  func `a query stopped before its first result calls no handler`(_ kind: QueryKind) async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    // Keep the only connection of the store in memory busy during the test.
    let (reads, signal) = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    async let reading = store.reduceSamples(into: 0, [.quantitySample(type: heartRateType)]) { count, _ in
      signal.yield()
      release.wait()
      count += 1
    }
    for await _ in reads { break }
    let calls = Mutex(0)
    weak var running: HKQuery?
    do {
      let query = kind.make(nil) { _ in calls.withLock { $0 += 1 } }
      running = query
      store.execute(query)
      store.stop(query)
    }
    release.signal()
    #expect(try await reading == 1)
    // Wait until the store releases the query, which it retains while the query runs.
    while running != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(calls.withLock { $0 } == 0)
  }

  @Test func `a query stopped in its handler does not call it again`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save((0..<50).map { heartRate(60, at: Double($0)) })
    let calls = Mutex(0)
    weak var running: HKQuery?
    do {
      let query = HKQuantitySeriesSampleQuery(quantityType: heartRateType, predicate: nil) {
        query, _, _, _, _, _ in
        if calls.withLock({ exchange(&$0, with: $0 + 1) }) == 2 { store.stop(query) }
      }
      running = query
      store.execute(query)
    }
    // Wait until the store releases the query, which it retains while the query runs.
    while running != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(calls.withLock { $0 } == 3)
  }

  @Test(arguments: QueryKind.all.filter { $0.testDescription != "observer" })
  func `a query without an update handler ends after its result`(_ kind: QueryKind) async throws {
    let store = try HKHealthStore.inMemory()
    let calls = Mutex(0)
    weak var running: HKQuery?
    do {
      let query = kind.make(nil) { _ in calls.withLock { $0 += 1 } }
      running = query
      store.execute(query)
    }
    // Wait until the store releases the query, which it retains while the query runs.
    while running != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func `a query without other references continues`() async throws {
    let store = try HKHealthStore.inMemory()
    let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
    store.execute(
      HKObserverQuery(sampleType: heartRateType, predicate: nil) { _, _, _ in continuation.yield() })
    var iterator = calls.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    for second in 0..<3 {
      try await store.save(heartRate(60, at: Double(second)))
      #expect(await iterator.next() != nil)
    }
  }

  @Test func `queries and descriptors on several types return samples of each`() async throws {
    let store = try HKHealthStore.inMemory()
    let steps = HKQuantitySample(
      type: stepType, quantity: HKQuantity(unit: .count(), doubleValue: 3), start: moment(1), end: moment(2))
    try await store.save([heartRate(60, at: 0), steps, heartRate(62, at: 5)])
    let descriptors = [
      HKQueryDescriptor(
        sampleType: heartRateType, predicate: HKQuery.predicateForSamples(withStart: moment(4), end: nil)),
      HKQueryDescriptor(sampleType: stepType, predicate: nil),
    ]
    let sorted = await withCheckedContinuation { done in
      store.execute(
        HKSampleQuery(
          queryDescriptors: descriptors, limit: HKObjectQueryNoLimit,
          sortDescriptors: [NSSortDescriptor(keyPath: \HKSample.startDate, ascending: false)]
        ) { _, samples, _ in done.resume(returning: samples) })
    }
    #expect(sorted?.map(\.startDate) == [moment(5), moment(1)])
    let added = await withCheckedContinuation { done in
      store.execute(
        HKAnchoredObjectQuery(queryDescriptors: descriptors, anchor: nil, limit: HKObjectQueryNoLimit) {
          _, samples, _, _, _ in done.resume(returning: samples)
        })
    }
    #expect(added?.map(\.startDate) == [moment(1), moment(5)])
    let limited = await withCheckedContinuation { done in
      store.execute(
        HKSampleQuery(queryDescriptors: descriptors, limit: 1) { _, samples, _ in
          done.resume(returning: samples)
        })
    }
    #expect(limited?.count == 1)
  }

  @Test func `each iteration of a sequence is a separate query`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    let results = HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: heartRateType)], anchor: nil
    ).results(for: store)
    for _ in 0..<2 {
      var iterator = results.makeAsyncIterator()
      #expect(try await iterator.next()?.addedSamples.values == [60])
    }
  }

  @Test func `blocking handlers do not delay other queries`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(60, at: 0)])
    // Start more queries than there are threads for tasks.
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    let begun = Mutex(0)
    let gate = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      store.execute(
        HKSampleQuery(sampleType: heartRateType, predicate: nil, limit: 1, sortDescriptors: nil) { _, _, _ in
          begun.withLock { $0 += 1 }
          gate.wait()
        })
    }
    while begun.withLock({ $0 }) < count { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await everyHeartRate().result(for: store).count == 1)
    for _ in 0..<count { gate.signal() }
  }

  @Test func `the calls of a query are serial, and none starts after it was stopped`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    try await store.save((0..<50).map { heartRate(60, at: Double($0)) })
    for _ in 0..<10 {
      let state = Mutex((running: 0, calls: 0, isWrong: false))
      let query = HKQuantitySeriesSampleQuery(quantityType: heartRateType, predicate: nil) {
        _, _, _, _, _, _ in
        state.withLock {
          $0.running += 1
          $0.calls += 1
          if $0.running > 1 { $0.isWrong = true }
        }
        state.withLock { $0.running -= 1 }
      }
      store.execute(query)
      while state.withLock({ $0.calls }) < 5 { try await Task.sleep(for: .milliseconds(1)) }
      store.stop(query)
      // One more call may already have started when the query was stopped.
      let calls = state.withLock { $0.calls }
      // This query takes long enough for many more calls.
      _ = try await everyHeartRate().result(for: store)
      #expect(state.withLock { $0.calls <= calls + 1 && !$0.isWrong })
    }
  }
}
