import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests the order of the calls to an external store, and when an anchor is saved.
@Suite(.timeLimit(.minutes(30))) struct QueryObserverTests {
  private let store: HKHealthStore
  private let external = RecordingStore()
  private let manager: HDSManager
  private let observer: HDSQueryObserver

  init() throws {
    store = try HKHealthStore.inMemory()
    manager = HDSManagerFactory.manager(of: store)
    manager.addObjectTypes([Document.self], externalStore: external)
    observer = try #require(manager.allObservers.first)
  }

  @Test func `new samples are fetched, and added if they are missing`() async throws {
    let samples = [heartRate(60, at: 0), heartRate(61, at: 1)]
    try await store.save(samples)
    try await observer.synchronize()
    #expect(external.calls == ["fetch 2", "add 2"])
    #expect(external.uuids == Set(samples.map(\.uuid)))
    #expect(observer.lastSuccessfulExecutionDate != nil)
    try await observer.synchronize()
    #expect(external.calls.isEmpty)
  }

  @Test func `deletions come first, and only for objects that the external store has`() async throws {
    let samples = [heartRate(60, at: 0), heartRate(61, at: 1)]
    try await store.save(samples)
    try await observer.synchronize()
    _ = external.calls
    // Deletes a sample that was synchronized, and one (`brief`) that was saved after the last
    // synchronization.
    let brief = heartRate(62, at: 2)
    try await store.save([heartRate(63, at: 3), brief])
    try await store.delete([samples[0], brief])
    try await observer.synchronize()
    #expect(external.calls == ["fetch 2", "delete 1", "fetch 1", "add 1"])
    #expect(external.uuids == (try await store.uuids(of: [pulse])))
    let other = heartRate(64, at: 4)
    try await store.save(other)
    try await store.delete(other)
    try await observer.synchronize()
    #expect(external.calls == ["fetch 1"])
  }

  @Test func `existing objects are updated before new ones are added`() async throws {
    try await store.save([heartRate(60, at: 0), heartRate(61, at: 1)])
    try await observer.synchronize()
    _ = external.calls
    // A new manager has no anchors, so it sends all samples to the same external store again.
    try await store.save(heartRate(62, at: 2))
    let fresh = HDSManager(
      store: HDSStoreProxy(store: store), userDefaults: MemoryDefaults(),
      permissionsManager: HDSPermissionsManager(store: HDSStoreProxy(store: store)),
      observerFactory: HDSQueryObserverFactory(
        store: HDSStoreProxy(store: store), userDefaults: MemoryDefaults()))
    fresh.addObjectTypes([Document.self], externalStore: external)
    try await fresh.allObservers.first?.synchronize()
    #expect(external.calls == ["fetch 3", "update 2", "add 1"])
    #expect(external.documents.count { $0.isUpdated } == 2)
  }

  @Test(arguments: ["fetch", "add", "update", "delete"])
  func `an error ends the round, and the next round repeats it`(call: String) async throws {
    let samples = [heartRate(60, at: 0), heartRate(61, at: 1)]
    try await store.save(samples)
    if call == "update" || call == "delete" {
      try await observer.synchronize()
      _ = external.calls
    }
    if call == "delete" { try await store.delete(samples[1]) }
    if call == "update" {
      // Starting and stopping deletes the anchor, so that the next synchronization updates the existing
      // objects.
      observer.start()
      observer.stop()
    }
    let date = observer.lastSuccessfulExecutionDate
    external.fail(call)
    await #expect(throws: RecordingStore.TestError.self) { try await observer.synchronize() }
    let calls = external.calls
    #expect(calls.last?.hasPrefix(call) == true)
    if call != "update" { #expect(observer.lastSuccessfulExecutionDate == date) }
    external.fail(nil)
    try await observer.synchronize()
    #expect(external.calls.starts(with: calls))
    #expect(external.uuids == (try await store.uuids(of: [pulse])))
  }

  @Test func `batches are sent in order, each with its anchor`() async throws {
    try await store.save((0..<25).map { heartRate(60, at: Double($0)) })
    let listener = Listener(batchSize: 10)
    observer.delegate = listener
    try await observer.synchronize()
    #expect(external.calls == ["fetch 10", "add 10", "fetch 10", "add 10", "fetch 5", "add 5"])
    #expect(listener.finished == [true])
    // A batch size of 0 is invalid, and 1 is used instead.
    try await store.save((25..<27).map { heartRate(60, at: Double($0)) })
    let careless = Listener(batchSize: 0)
    observer.delegate = careless
    try await observer.synchronize()
    #expect(external.calls == ["fetch 1", "add 1", "fetch 1", "add 1"])
  }

  @Test func `a completion that is called twice counts once`() async throws {
    external.answerTwice()
    try await store.save([heartRate(60, at: 0), heartRate(61, at: 1)])
    try await observer.synchronize()
    #expect(external.calls == ["fetch 2", "add 2"])
    #expect(external.uuids == (try await store.uuids(of: [pulse])))
  }

  @Test func `a delegate can prevent a round`() async throws {
    let listener = Listener(mayBegin: false)
    manager.observerDelegate = listener
    try await store.save(heartRate(60, at: 0))
    await #expect(throws: HDSError.operationCancelled) { try await observer.synchronize() }
    #expect(external.calls.isEmpty && listener.finished.isEmpty)
  }

  @Test func `only samples that match the predicate are synchronized`() async throws {
    try await store.save([heartRate(60, at: 0), heartRate(61, at: 100)])
    observer.queryPredicate = HKQuery.predicateForSamples(
      withStart: Date(timeIntervalSince1970: 1_700_000_050), end: nil, options: .strictStartDate)
    try await observer.synchronize()
    #expect(external.calls == ["fetch 1", "add 1"])
  }

  // MARK: - Observing

  @Test func `an observer synchronizes new samples, and retries after a failure`()
    async throws
  {
    let listener = Listener()
    manager.observerDelegate = listener
    manager.startObserving()
    #expect(observer.isObserving && observer.canStartObserving)
    await listener.round(succeeds: true)
    external.fail("add")
    try await store.save(heartRate(60, at: 0))
    await listener.round(succeeds: false)
    external.fail(nil)
    await listener.round(succeeds: true)
    #expect(external.uuids == (try await store.uuids(of: [pulse])))
    manager.stopObserving()
    #expect(!observer.isObserving)
    // Stopping has deleted the anchor, so the existing sample is sent again, as an update.
    _ = external.calls
    try await observer.synchronize()
    #expect(external.calls == ["fetch 1", "update 1"])
  }
}

extension QueryObserverTests {
  @Test func `stop does nothing while health data is unavailable`() async throws {
    let (proxy, defaults) = (ScriptedProxy(store: store), MemoryDefaults())
    let manager = HDSManager(
      store: proxy, userDefaults: defaults, permissionsManager: HDSPermissionsManager(store: proxy),
      observerFactory: HDSQueryObserverFactory(store: proxy, userDefaults: defaults))
    manager.addObjectTypes([Document.self], externalStore: external)
    let observer = try #require(manager.allObservers.first)
    try await store.save(heartRate(60, at: 0))
    try await observer.synchronize()
    observer.start()
    proxy.isAvailable = false
    observer.stop()
    #expect(observer.isObserving && proxy.stopped.isEmpty && proxy.disabled.isEmpty)
    // This call runs after any work that `stop` has started, because the observer executes its calls in
    // order.
    try await observer.synchronize()
    #expect(observer.lastSuccessfulExecutionDate != nil)
    #expect(external.calls == ["fetch 1", "add 1"])
    proxy.isAvailable = true
    observer.stop()
    #expect(!observer.isObserving && proxy.stopped.count == 1 && proxy.disabled == [pulse])
    try await observer.synchronize()
    #expect(external.calls == ["fetch 1", "update 1"])
  }
}

/// User defaults in memory.
final class MemoryDefaults: HDSUserDefaultsProxyProtocol {
  private var values: [String: Any] = [:]

  func set(_ value: Any?, forKey defaultName: String) { values[defaultName] = value }
  func removeObject(forKey defaultName: String) { values[defaultName] = nil }
  func data(forKey defaultName: String) -> Data? { values[defaultName] as? Data }
  func object(forKey defaultName: String) -> Any? { values[defaultName] }
}
