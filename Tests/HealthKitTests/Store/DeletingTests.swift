import HealthKit
import HealthStorage
import Testing

@Suite struct DeletingTests {
  private func remaining(_ store: HKHealthStore) async throws -> [Double] {
    try await everyHeartRate().result(for: store).values
  }

  @Test(arguments: StoreDepth.allCases)
  func `a deleted sample is gone`(depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let samples = [heartRate(60, at: 0), heartRate(70, at: 1), heartRate(80, at: 2)]
      try await store.save(samples)
      try await store.delete(samples[1])
      #expect(try await remaining(store) == [60, 80])
      try await store.save(samples[1])
      #expect(try await remaining(store) == [60, 70, 80])
    }
  }

  @Test func `either all objects are deleted or none`() async throws {
    let store = try HKHealthStore.inMemory()
    let sample = heartRate(60, at: 0)
    try await store.save(sample)
    do {
      try await store.delete([sample, heartRate(70, at: 1)])
      Issue.record("an object that is not stored was deleted")
    } catch let error as HKError {
      #expect(error.code == .errorAuthorizationDenied)
    }
    #expect(try await remaining(store) == [60])
  }

  @Test func `objects of other sources are kept`() async throws {
    let store = try HKHealthStore.inMemory()
    let monitor = store.acting(as: HKSource(name: "M", bundleIdentifier: "m"))
    let theirs = heartRate(60, at: 0)
    try await monitor.save(theirs)
    try await store.save(heartRate(70, at: 1))
    await expectFailure(.errorAuthorizationDenied) { try await store.delete(theirs) }
    let predicate = NSPredicate(value: true)
    #expect(try await store.deleteObjects(of: HKQuantityType(.heartRate), predicate: predicate) == 1)
    #expect(try await remaining(store) == [60])
    #expect(try await monitor.deleteObjects(of: HKQuantityType(.heartRate), predicate: predicate) == 1)
    #expect(try await remaining(store) == [])
  }

  @Test func `a predicate selects the samples to delete`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save((0..<10).map { heartRate(60, at: Double($0)) })
    let window = HKQuery.predicateForSamples(
      withStart: moment(2), end: moment(5), options: .strictStartDate)
    #expect(try await store.deleteObjects(of: HKQuantityType(.heartRate), predicate: window) == 3)
    #expect(try await store.deleteObjects(of: HKQuantityType(.stepCount), predicate: window) == 0)
    #expect(try await remaining(store).count == 7)
    await expectFailure(.errorInvalidArgument) {
      try await store.deleteObjects(
        of: HKQuantityType(.heartRate), predicate: NSPredicate { _, _ in true })
    }
  }

  @Test func `the completion handler is called`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    let (success, count) = await withCheckedContinuation { continuation in
      store.deleteObjects(of: HKQuantityType(.heartRate), predicate: NSPredicate(value: true)) {
        success, count, _ in continuation.resume(returning: (success, count))
      }
    }
    #expect(success && count == 1)
  }
}
