import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// A manager and its observers: several places, programs and runs.
@Suite(.timeLimit(.minutes(10))) struct ManagerTests {
  private struct NoConverter: HDSConverterProtocol {
    func convert<T>(object: HKObject) throws -> T { throw HDSError.notSupported }
    func convert<T>(deletedObject: HKDeletedObject) throws -> T { throw HDSError.notSupported }
  }

  @Test func `one type may go to several places, and to each once`() async throws {
    let store = try HKHealthStore.inMemory()
    let manager = HDSManagerFactory.manager(of: store)
    let (one, other) = (RecordingStore(), RecordingStore())
    manager.addObjectTypes([Document.self, Document.self], externalStore: one)
    manager.addObjectTypes(Document.self, externalStore: other)
    manager.addObjectTypes(Document.self, externalStore: one)
    #expect(manager.allObservers.count == 2)
    try await store.save(heartRate(60, at: 0))
    try await manager.allObservers.first?.synchronize()
    try await store.save(heartRate(61, at: 1))
    try await manager.allObservers.last?.synchronize()
    #expect(one.uuids.count == 1 && other.uuids.count == 2)
    #expect(other.calls == ["fetch 2", "add 2"])
  }

  @Test func `the converter and the delegate are those of observers that are added later, too`() async throws
  {
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

  @Test func `the next run of a program goes on where the last one was`() async throws {
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

  @Test func `the sources of an observer's type are told, and errors only where there are some`() async throws
  {
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
    #expect(names == [[HKSource.default().bundleIdentifier]] && errors == nil)
  }

  @Test func `a program gives nothing of what its user was not asked about or has denied`() async throws {
    let folder = try TemporaryFolder()
    try await HKHealthStore(storeAt: folder.path("s")).save(heartRate(60, at: 0))
    func program(_ answer: HKHealthStore.Configuration.Answer) throws -> HKHealthStore {
      try HKHealthStore(
        configuration: HKHealthStore.Configuration(
          location: .file(folder.path("s")),
          application: HKHealthStore.Application(
            bundleIdentifier: "org.example.exporter", name: "Exporter",
            healthShareUsageDescription: "to carry it on"),
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
    // Another program, whose user grants all.
    let other = try HKHealthStore(
      configuration: HKHealthStore.Configuration(
        location: .file(folder.path("s")),
        application: HKHealthStore.Application(
          bundleIdentifier: "org.example.other", name: "Other", healthShareUsageDescription: "to carry it on"),
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

  @Test func `nobody can be asked about nothing`() async throws {
    let manager = HDSManagerFactory.manager(of: try HKHealthStore.inMemory())
    let error: (any Error)? = await withCheckedContinuation { continuation in
      manager.requestPermissionsForAllObservers { _, error in continuation.resume(returning: error) }
    }
    #expect(error as? HDSError == .noSpecifiedTypes)
  }
}
