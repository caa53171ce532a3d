import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests a manager and its observers with several external stores, programs and runs.
@Suite(.timeLimit(.minutes(30))) struct ManagerTests {
  private struct NoConverter: HDSConverterProtocol {
    func convert<T>(object: HKObject) throws -> T { throw HDSError.notSupported }
    func convert<T>(deletedObject: HKDeletedObject) throws -> T { throw HDSError.notSupported }
  }

  @Test func `a type can be sent to several external stores, once to each`() async throws {
    let store = try HKHealthStore.inMemory()
    let manager = HDSManagerFactory.manager(of: store)
    let (one, other) = (RecordingStore(), RecordingStore())
    manager.addObjectTypes([Document.self, Document.self], externalStore: one, named: "one")
    manager.addObjectTypes([Document.self], externalStore: other, named: "other")
    manager.addObjectTypes([Document.self], externalStore: one, named: "one")
    #expect(manager.allObservers.count == 2)
    try await store.save(heartRate(60, at: 0))
    try await manager.allObservers.first?.synchronize()
    try await store.save(heartRate(61, at: 1))
    try await manager.allObservers.last?.synchronize()
    #expect(one.uuids.count == 1 && other.uuids.count == 2)
    #expect(other.calls == ["fetch 2", "add 2"])
  }

  @Test func `stores of one class keep their anchors by name, in any order`()
    async throws
  {
    let folder = try TemporaryFolder()
    let stores = ["one": RecordingStore(), "other": RecordingStore()]
    func run(_ order: [String], synchronizing chosen: [String]) async throws {
      let store = try HKHealthStore(storeAt: folder.path("s"))
      try await store.save(heartRate(60, at: Double(order.count + chosen.count)))
      let manager = HDSManagerFactory.manager(of: store)
      for name in order {
        manager.addObjectTypes([Document.self], externalStore: try #require(stores[name]), named: name)
      }
      for (name, observer) in zip(order, manager.allObservers) where chosen.contains(name) {
        try await observer.synchronize()
      }
    }
    try await run(["one", "other"], synchronizing: ["one"])
    #expect(stores["one"]?.calls == ["fetch 1", "add 1"])
    try await run(["other", "one"], synchronizing: ["other", "one"])
    #expect(stores["one"]?.calls == ["fetch 1", "add 1"])
    #expect(stores["other"]?.calls == ["fetch 2", "add 2"])
  }

  @Test func `if stores of one class have no names, only the first is accepted`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let manager = HDSManagerFactory.manager(of: store)
    let listener = Listener()
    manager.observerDelegate = listener
    let stores = (0..<3).map { _ in RecordingStore() }
    for external in stores { manager.addObjectTypes([Document.self], externalStore: external) }
    #expect(manager.allObservers.count == 3)
    try await store.save(heartRate(60, at: 0))
    try await manager.allObservers.first?.synchronize()
    for observer in manager.allObservers.dropFirst() {
      await #expect(throws: HDSError.ambiguousExternalStore("RecordingStore")) {
        try await observer.synchronize()
      }
      observer.start()
      #expect(!observer.isObserving)
    }
    #expect(listener.finished == [true, false, false, false, false])
    #expect(stores.map(\.uuids.count) == [1, 0, 0])
    let sentence = HDSError.ambiguousExternalStore("RecordingStore").localizedDescription
    #expect(sentence.contains("RecordingStore") && sentence.contains("named:"))
  }

  /// An external store that is a structure and not a class.
  private struct Place: HDSExternalStoreProtocol, Equatable {
    var path: String

    func fetchObjects(
      with objects: [any HDSExternalObjectProtocol],
      completion: @escaping @Sendable ([any HDSExternalObjectProtocol]?, (any Error)?) -> Void
    ) { completion([], nil) }

    func add(
      objects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void
    ) { completion(nil) }

    func update(
      objects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void
    ) { completion(nil) }

    func delete(
      deletedObjects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void
    ) { completion(nil) }
  }

  @Test func `different values are different stores, and equal values are the same store`() async throws {
    let manager = HDSManagerFactory.manager(of: try HKHealthStore.inMemory())
    manager.addObjectTypes([Document.self], externalStore: Place(path: "a"))
    manager.addObjectTypes([Document.self], externalStore: Place(path: "a"))
    #expect(manager.allObservers.count == 1)
    try await manager.allObservers.first?.synchronize()
    manager.addObjectTypes([Document.self], externalStore: Place(path: "b"))
    #expect(manager.allObservers.count == 2)
    await #expect(throws: HDSError.ambiguousExternalStore("Place")) {
      try await manager.allObservers.last?.synchronize()
    }
    try await manager.allObservers.first?.synchronize()
  }

  @Test func `the converter and the delegate also apply to observers that are added later`() async throws {
    let store = try HKHealthStore.inMemory()
    let manager = HDSManagerFactory.manager(of: store)
    let listener = Listener()
    manager.converter = NoConverter()
    manager.observerDelegate = listener
    let external = RecordingStore()
    manager.addObjectTypes([Document.self], externalStore: external)
    try await store.save(heartRate(60, at: 0))
    try await manager.allObservers.first?.synchronize()
    #expect(external.documents.allSatisfy { $0.converter is NoConverter })
    #expect(listener.finished == [true])
  }

  @Test func `the next run of a program continues where the last one ended`() async throws {
    let folder = try TemporaryFolder()
    let external = RecordingStore()
    for run in 0..<3 {
      let store = try HKHealthStore(storeAt: folder.path("s"))
      let manager = HDSManagerFactory.manager(of: store)
      manager.addObjectTypes([Document.self], externalStore: external)
      try await store.save(heartRate(60, at: Double(run)))
      try await manager.allObservers.first?.synchronize()
      #expect(external.calls == ["fetch 1", "add 1"])
    }
  }

  @Test func `the sources of an observer's type are found, and the errors are an empty array`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    let manager = HDSManagerFactory.manager(of: store)
    manager.addObjectTypes([Document.self], externalStore: RecordingStore())
    let observers = manager.allObservers
    let (names, errors) = await withCheckedContinuation { continuation in
      manager.sources(for: observers) { sources, errors in
        continuation.resume(
          returning: (observers.map { sources[$0]?.map(\.bundleIdentifier) }, errors?.count))
      }
    }
    #expect(names == [[HKSource.default().bundleIdentifier]] && errors == 0)
    let none: Int? = await withCheckedContinuation { continuation in
      manager.sources(for: []) { sources, errors in
        continuation.resume(returning: sources.isEmpty ? errors?.count : nil)
      }
    }
    #expect(none == 0)
  }

  @Test func `the sources of all observers are queried at once, whatever one of them returns`() async throws {
    let proxy = ScriptedProxy(store: try HKHealthStore.inMemory())
    let manager = HDSManager(
      store: proxy, userDefaults: MemoryDefaults(), permissionsManager: HDSPermissionsManager(store: proxy),
      observerFactory: HDSQueryObserverFactory(store: proxy, userDefaults: MemoryDefaults()))
    manager.addObjectTypes([Document.self, EnergyDocument.self], externalStore: RecordingStore())
    let observers = manager.allObservers
    // The proxy holds all queries back, so that none returns before `release()`.
    proxy.holdsQueries = true
    let found = AsyncStream<([Int?], Int?)>.makeStream()
    manager.sources(for: observers) { sources, errors in
      found.continuation.yield((observers.map { sources[$0]?.count }, errors?.count))
    }
    #expect(proxy.queries.map(\.objectType) == [pulse, energy])
    proxy.release()
    var results = found.stream.makeAsyncIterator()
    let result = try #require(await results.next())
    #expect(result.0 == [0, 0] && result.1 == 0)
  }

  @Test func `data that the user has not granted is not synchronized`() async throws {
    let folder = try TemporaryFolder()
    try await HKHealthStore(storeAt: folder.path("s")).save(heartRate(60, at: 0))
    func program(_ answer: HKHealthStore.Configuration.Answer) throws -> HKHealthStore {
      try HKHealthStore(
        configuration: HKHealthStore.Configuration(
          location: .file(folder.path("s")),
          application: HKHealthStore.Application(
            bundleIdentifier: "org.example.exporter", name: "Exporter",
            healthShareUsageDescription: "to export it"),
          decision: .asking { _ in answer }))
    }
    for answer in [HKHealthStore.Configuration.Answer.cancelled, .granted(share: [], read: [])] {
      let external = RecordingStore()
      let manager = HDSManagerFactory.manager(of: try program(answer))
      manager.addObjectTypes([Document.self], externalStore: external)
      let observer = try #require(manager.allObservers.first)
      #expect(!observer.canStartObserving)
      observer.start()
      #expect(!observer.isObserving)
      await #expect(throws: (any Error).self) { try await observer.synchronize() }
      _ = await withCheckedContinuation { continuation in
        manager.requestPermissionsForAllObservers { success, _ in continuation.resume(returning: success) }
      }
      if case .granted = answer {
        #expect(observer.canStartObserving)
        try await observer.synchronize()
      }
      #expect(external.calls.isEmpty)
    }
    // The same data is synchronized for another program, which has all permissions.
    let other = try HKHealthStore(
      configuration: HKHealthStore.Configuration(
        location: .file(folder.path("s")),
        application: HKHealthStore.Application(
          bundleIdentifier: "org.example.other", name: "Other", healthShareUsageDescription: "to export it"),
        decision: .asking { _ in .grantedAll }))
    let external = RecordingStore()
    let manager = HDSManagerFactory.manager(of: other)
    manager.addObjectTypes([Document.self], externalStore: external)
    _ = await withCheckedContinuation { continuation in
      manager.requestPermissionsForAllObservers { success, _ in continuation.resume(returning: success) }
    }
    try await manager.allObservers.first?.synchronize()
    #expect(external.calls == ["fetch 1", "add 1"])
  }

  @Test func `a permission request without types is an error`() async throws {
    let manager = HDSManagerFactory.manager(of: try HKHealthStore.inMemory())
    let error: (any Error)? = await withCheckedContinuation { continuation in
      manager.requestPermissionsForAllObservers { _, error in continuation.resume(returning: error) }
    }
    #expect(error as? HDSError == .noSpecifiedTypes)
  }
}
