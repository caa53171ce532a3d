import HealthKit
import Testing

@Suite(.timeLimit(.minutes(30))) struct AnchoredUpdateTests {
  private struct Results: Sendable {
    var isUpdate: Bool
    var added: [Double]
    var deleted: Int
    var anchor: HKQueryAnchor?
  }

  private func follow(_ store: HKHealthStore) -> (HKAnchoredObjectQuery, AsyncStream<Results>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Results.self)
    func handler(isUpdate: Bool) -> HKAnchoredObjectQuery.ResultsHandler {
      { _, added, deleted, anchor, _ in
        let values = added?.compactMap { $0 as? HKQuantitySample } ?? []
        continuation.yield(
          Results(isUpdate: isUpdate, added: values.values, deleted: deleted?.count ?? -1, anchor: anchor))
      }
    }
    let query = HKAnchoredObjectQuery(
      type: HKQuantityType(.heartRate), predicate: nil, anchor: nil, limit: HKObjectQueryNoLimit,
      resultsHandler: handler(isUpdate: false))
    query.updateHandler = handler(isUpdate: true)
    store.execute(query)
    return (query, stream)
  }

  @Test(arguments: StoreDepth.allCases)
  func `the update handler gets each change once`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await store.save(heartRate(50, at: 0))
      let (query, stream) = follow(store)
      var results = stream.makeAsyncIterator()
      let first = try #require(await results.next())
      #expect(!first.isUpdate && first.added == [50] && first.deleted == 0)
      let sample = heartRate(60, at: 1)
      try await store.save(sample)
      let second = try #require(await results.next())
      #expect(second.isUpdate && second.added == [60] && second.deleted == 0)
      try await store.delete(sample)
      let third = try #require(await results.next())
      #expect(third.isUpdate && third.added == [] && third.deleted == 1)
      // Another query can continue with the last anchor, and finds no further changes.
      let later = HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: third.anchor)
      let nothing = try await later.result(for: store)
      #expect(nothing.addedSamples.isEmpty && nothing.deletedObjects.isEmpty)
      store.stop(query)
    }
  }

  @Test func `a sample saved during the first results is reported exactly once`() async throws {
    let store = try HKHealthStore.inMemory()
    async let saving: Void = {
      for second in 0..<200 { try await store.save(heartRate(Double(second), at: Double(second))) }
    }()
    let (query, stream) = follow(store)
    var results = stream.makeAsyncIterator()
    var seen: [Double] = []
    while seen.count < 200, let next = await results.next() { seen += next.added }
    try await saving
    #expect(seen == (0..<200).map(Double.init))
    store.stop(query)
  }

  @Test func aLimitAllowsNoUpdateHandler() async {
    await #expect(processExitsWith: .failure) {
      let query = HKAnchoredObjectQuery(
        type: HKQuantityType(.heartRate), predicate: nil, anchor: nil, limit: 5
      ) { _, _, _, _, _ in }
      query.updateHandler = { _, _, _, _, _ in }
    }
  }

  @Test func theUpdateHandlerCannotBeSetAfterExecution() async {
    await #expect(processExitsWith: .failure) {
      let query = HKAnchoredObjectQuery(
        type: HKQuantityType(.heartRate), predicate: nil, anchor: nil, limit: HKObjectQueryNoLimit
      ) { _, _, _, _, _ in }
      try HKHealthStore.inMemory().execute(query)
      query.updateHandler = { _, _, _, _, _ in }
    }
  }

  @Test func `a sequence returns stored samples, then new ones`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(50, at: 0), heartRate(51, at: 1), heartRate(52, at: 2)])
    let descriptor = HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: nil, limit: 2)
    var results = descriptor.results(for: store).makeAsyncIterator()
    #expect(try await results.next()?.addedSamples.values == [50, 51])
    #expect(try await results.next()?.addedSamples.values == [52])
    try await store.save(heartRate(53, at: 3))
    #expect(try await results.next()?.addedSamples.values == [53])
  }

  @Test func aSequenceWithoutSamplesBeginsWithAnEmptyResult() async throws {
    let store = try HKHealthStore.inMemory()
    let descriptor = HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: nil)
    var results = descriptor.results(for: store).makeAsyncIterator()
    #expect(try await results.next()?.addedSamples.isEmpty == true)
  }

  @Test func cancellingTheTaskEndsASequence() async throws {
    let store = try HKHealthStore.inMemory()
    let (first, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      let descriptor = HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: nil)
      var count = 0
      for try await _ in descriptor.results(for: store) {
        count += 1
        continuation.yield()
      }
      return count
    }
    for await _ in first { break }
    task.cancel()
    #expect(try await task.value == 1)
  }
}
