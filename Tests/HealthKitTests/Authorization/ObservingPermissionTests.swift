import HealthStorage
import Testing

@testable import HealthKit

@Suite struct ObservingPermissionTests {
  /// Returns the calls of an observer of heart rates, in order.
  private func calls(in store: HKHealthStore) -> AsyncStream<HKError.Code?> {
    let (stream, continuation) = AsyncStream.makeStream(of: HKError.Code?.self)
    let query = HKObserverQuery(sampleType: heartRateType, predicate: nil) { _, completion, error in
      continuation.yield((error as? HKError)?.code)
      completion()
    }
    continuation.onTermination = { _ in store.stop(query) }
    store.execute(query)
    return stream
  }

  @Test func `observing without a request fails: not determined`() async throws {
    try await StoreDepth.memory.withApplication { application in
      var observer = calls(in: application.store).makeAsyncIterator()
      #expect(await observer.next() == .errorAuthorizationNotDetermined)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `observing without permission reports only the application's own samples and deletions`(
    _ depth: StoreDepth
  ) async throws {
    try await depth.withApplication { application in
      try await application.decide(share: true, read: false, heartRateType)
      let database = try application.store.admit(.read([heartRateType]))
      let (own, other) = (heartRate(60, at: 0), heartRate(70, at: 1))
      let heartRates = [(type: heartRateType.identifier, filter: SampleFilter.everything)]
      try await application.monitor.save(other)
      try await application.monitor.delete(other)
      var changed = try await database.changedTypes(heartRates, after: 0)
      #expect(changed.types.isEmpty)
      try await application.store.save(own)
      changed = try await database.changedTypes(heartRates, after: changed.position)
      #expect(changed.types == [heartRateType.identifier])
      try await application.store.delete(own)
      changed = try await database.changedTypes(heartRates, after: changed.position)
      #expect(changed.types == [heartRateType.identifier])
    }
  }

  @Test func `observing with permission reports samples of all sources`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(read: true, heartRateType)
      var observer = calls(in: application.store).makeAsyncIterator()
      #expect(await observer.next() == .some(nil))
      try await application.monitor.save(heartRate(70, at: 1))
      #expect(await observer.next() == .some(nil))
    }
  }
}
