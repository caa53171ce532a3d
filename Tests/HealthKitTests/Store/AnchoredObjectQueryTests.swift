import HealthKit
import Testing

@Suite struct AnchoredObjectQueryTests {
  private typealias Descriptor = HKAnchoredObjectQueryDescriptor<HKQuantitySample>

  private func ask(
    _ store: HKHealthStore, after anchor: HKQueryAnchor? = nil, limit: Int? = nil,
    _ predicate: NSPredicate? = nil
  ) async throws -> Descriptor.Result {
    try await Descriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate), predicate: predicate)], anchor: anchor,
      limit: limit
    ).result(for: store)
  }

  @Test(arguments: StoreDepth.allCases)
  func `each change is reported once`(depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let first = [heartRate(60, at: 5), heartRate(61, at: 1)]
      try await store.save(first)
      let beginning = try await ask(store)
      #expect(beginning.addedSamples.values == [60, 61])
      #expect(beginning.deletedObjects.isEmpty)
      let nothing = try await ask(store, after: beginning.newAnchor)
      #expect(nothing.addedSamples.isEmpty && nothing.newAnchor == beginning.newAnchor)

      try await store.save(heartRate(62, at: 0))
      try await store.delete(first[0])
      let later = try await ask(store, after: beginning.newAnchor)
      #expect(later.addedSamples.values == [62])
      #expect(later.deletedObjects.map(\.uuid) == [first[0].uuid])
      #expect(try await ask(store, after: later.newAnchor).addedSamples.isEmpty)
    }
  }

  @Test func `a sample that was added and deleted is reported as deleted`() async throws {
    let store = try HKHealthStore.inMemory()
    let sample = heartRate(60, at: 0)
    try await store.save(sample)
    try await store.delete(sample)
    let result = try await ask(store)
    #expect(result.addedSamples.isEmpty)
    #expect(result.deletedObjects.map(\.uuid) == [sample.uuid])
  }

  @Test func `a limit counts additions and deletions, and the next page continues`() async throws {
    let store = try HKHealthStore.inMemory()
    let samples = (0..<10).map { heartRate(60 + Double($0), at: Double($0)) }
    try await store.save(samples)
    try await store.delete(Array(samples[3...5]))
    var anchor: HKQueryAnchor?
    var added: [Double] = []
    var deleted: [UUID] = []
    for _ in 0..<10 {
      let page = try await ask(store, after: anchor, limit: 3)
      #expect(page.addedSamples.count + page.deletedObjects.count <= 3)
      added += page.addedSamples.values
      deleted += page.deletedObjects.map(\.uuid)
      anchor = page.newAnchor
    }
    #expect(added == [60, 61, 62, 66, 67, 68, 69])
    #expect(deleted == samples[3...5].map(\.uuid))
  }

  @Test func `a new version is a deletion with the sync identifier, and an addition`() async throws {
    let store = try HKHealthStore.inMemory()
    func version(_ number: Int) -> HKQuantitySample {
      heartRate(
        Double(60 + number), at: 0,
        metadata: [HKMetadataKeySyncIdentifier: "x", HKMetadataKeySyncVersion: number])
    }
    let old = version(1)
    try await store.save(old)
    let anchor = try await ask(store).newAnchor
    try await store.save(version(2))
    let result = try await ask(store, after: anchor)
    #expect(result.addedSamples.values == [62])
    #expect(result.deletedObjects.map(\.uuid) == [old.uuid])
    #expect(result.deletedObjects.first?.metadata?[HKMetadataKeySyncIdentifier] as? String == "x")
    #expect(result.deletedObjects.first?.metadata?[HKMetadataKeySyncVersion] as? Int == 1)
  }

  @Test func `a predicate limits additions, and changes of other types are not reported`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(60, at: 0), heartRate(61, at: 100)])
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 1),
        start: moment(), end: moment()))
    let late = HKQuery.predicateForSamples(withStart: moment(50), end: nil)
    #expect(try await ask(store, late).addedSamples.values == [61])
  }

  @Test func `an anchor can be archived, and that of another store is ignored`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(60, at: 0), heartRate(61, at: 1)])
    let anchor = try await ask(store).newAnchor
    let data = try NSKeyedArchiver.archivedData(withRootObject: anchor, requiringSecureCoding: true)
    let kept = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: data)
    #expect(kept == anchor)
    #expect(try await ask(store, after: kept).addedSamples.isEmpty)
    let other = try HKHealthStore.inMemory()
    try await other.save(heartRate(70, at: 0))
    #expect(try await ask(other, after: anchor).addedSamples.values == [70])
    #expect(try await ask(store, after: HKQueryAnchor(fromValue: 0)).addedSamples.count == 2)
  }

  @Test func `the query with completion handlers has the same results`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(60, at: 0), heartRate(61, at: 1)])
    let (count, anchor) = await withCheckedContinuation { continuation in
      store.execute(
        HKAnchoredObjectQuery(
          type: HKQuantityType(.heartRate), predicate: nil, anchor: nil, limit: HKObjectQueryNoLimit
        ) { _, added, deleted, anchor, _ in
          continuation.resume(returning: ((added?.count ?? -1) + (deleted?.count ?? -1), anchor))
        })
    }
    #expect(count == 2)
    #expect(try await ask(store, after: anchor).addedSamples.isEmpty)
  }

  @Test func `deletions are reported regardless of the predicate`() async throws {
    let store = try HKHealthStore.inMemory()
    let early = heartRate(60, at: 0)
    try await store.save([early, heartRate(61, at: 100)])
    let late = HKQuery.predicateForSamples(withStart: moment(50), end: nil)
    let first = try await ask(store, late)
    try await store.delete(early)
    let result = try await ask(store, after: first.newAnchor, late)
    #expect(result.addedSamples.isEmpty)
    #expect(result.deletedObjects.map(\.uuid) == [early.uuid])
    #expect(result.deletedObjects.first?.metadata == nil)
  }

  @Test(.timeLimit(.minutes(30)))
  @available(*, deprecated)
  func `numeric anchors work, too`() async throws {
    let store = try HKHealthStore.inMemory()
    func ask(after anchor: Int, limit: Int) async -> (found: [HKSample]?, anchor: Int) {
      await withCheckedContinuation { done in
        store.execute(
          HKAnchoredObjectQuery(
            type: HKQuantityType(.heartRate), predicate: nil, anchor: anchor, limit: limit
          ) { _, samples, anchor, _ in done.resume(returning: (samples, anchor)) })
      }
    }
    let samples = (0..<3).map { heartRate(60, at: Double($0)) }
    try await store.save(samples)
    let first = await ask(after: HKAnchoredObjectQueryNoAnchor, limit: 2)
    #expect(first.found == Array(samples[..<2]))
    let second = await ask(after: first.anchor, limit: HKObjectQueryNoLimit)
    #expect(second.found == [samples[2]])
    #expect(await ask(after: second.anchor, limit: HKObjectQueryNoLimit).found == [])
  }
}
