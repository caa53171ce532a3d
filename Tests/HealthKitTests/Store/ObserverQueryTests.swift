import HealthKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct ObserverQueryTests {
  private enum Call: Equatable {
    case update(Set<HKSampleType>?)
    case failure(HKError.Code?)
  }

  /// Executes an observer of heart rates and energies.
  private func observe(
    _ store: HKHealthStore, heartRates: NSPredicate? = nil
  ) -> (query: HKObserverQuery, calls: AsyncStream<Call>.Iterator) {
    let (stream, continuation) = AsyncStream.makeStream(of: Call.self)
    let query = HKObserverQuery(queryDescriptors: [
      HKQueryDescriptor(sampleType: HKQuantityType(.heartRate), predicate: heartRates),
      HKQueryDescriptor(sampleType: HKQuantityType(.activeEnergyBurned), predicate: nil),
    ]) { _, types, completion, error in
      continuation.yield(error.map { .failure(($0 as? HKError)?.code) } ?? .update(types))
      completion()
    }
    store.execute(query)
    return (query, stream.makeAsyncIterator())
  }

  private let both: Set<HKSampleType> = [HKQuantityType(.heartRate), HKQuantityType(.activeEnergyBurned)]
  private let rates: Set<HKSampleType> = [HKQuantityType(.heartRate)]

  @Test(arguments: StoreDepth.allCases)
  func `the handler is called at the start and after each save and deletion`(_ depth: StoreDepth) async throws
  {
    try await depth.withStore { store in
      var (_, calls) = observe(store)
      #expect(await calls.next() == .update(both))
      let sample = heartRate(60, at: 0)
      try await store.save(sample)
      #expect(await calls.next() == .update(rates))
      try await store.delete(sample)
      #expect(await calls.next() == .update(rates))
    }
  }

  @Test func aSaveThatDoesNotMatchIsNotReported() async throws {
    let store = try HKHealthStore.inMemory()
    let late = HKQuery.predicateForSamples(withStart: moment(100), end: nil, options: .strictStartDate)
    var (_, calls) = observe(store, heartRates: late)
    #expect(await calls.next() == .update(both))
    try await store.save(heartRate(60, at: 0))
    try await store.save(
      HKCategorySample(type: HKCategoryType(.mindfulSession), value: 0, start: moment(), end: moment(1)))
    try await store.save(heartRate(60, at: 100))
    #expect(await calls.next() == .update(rates))
    // The two samples that did not match must not be reported with a later change.
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.activeEnergyBurned), quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 1),
        start: moment(), end: moment(1)))
    #expect(await calls.next() == .update([HKQuantityType(.activeEnergyBurned)]))
  }

  @Test func afterStopNoHandlerIsCalled() async throws {
    let store = try HKHealthStore.inMemory()
    let calls = Mutex(0)
    let query = HKObserverQuery(sampleType: HKQuantityType(.heartRate), predicate: nil) { _, _, _ in
      calls.withLock { $0 += 1 }
    }
    store.execute(query)
    while calls.withLock({ $0 }) == 0 { await Task.yield() }
    store.stop(query)
    store.stop(query)
    var (_, others) = observe(store)
    #expect(await others.next() == .update(both))
    for second in 0..<20 {
      try await store.save(heartRate(60, at: Double(second)))
      #expect(await others.next() == .update(rates))
    }
    // If the stopped query were still running, it would have been called as often as the other one.
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func anotherConnectionToTheFileIsObserved() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "health.sqlite").path
    let observed = try HKHealthStore(storeAt: path)
    let other = try HKHealthStore(storeAt: path)
    var (_, calls) = observe(observed)
    #expect(await calls.next() == .update(both))
    for second in 0..<5 {
      try await other.save(heartRate(60, at: Double(second)))
      #expect(await calls.next() == .update(rates))
    }
  }

  @Test func `an unsupported predicate ends the query`() async throws {
    let store = try HKHealthStore.inMemory()
    var (_, calls) = observe(store, heartRates: NSPredicate { _, _ in true })
    #expect(await calls.next() == .failure(.errorInvalidArgument))
  }
}
