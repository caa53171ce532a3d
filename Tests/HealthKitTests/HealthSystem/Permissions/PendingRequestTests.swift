import HealthStorage
import HealthSystem
import Testing

@testable import HealthKit

/// Tests requests for permissions, which stay in the store until another connection stores the user's answer.
@Suite struct PendingRequestTests {
  private func withStores(
    _ body: (HKHealthStore, _ system: SystemStore) async throws -> Void
  ) async throws {
    try await withPath { path in
      let system = try SystemStore(at: path)
      try await body(
        HKHealthStore(configuration: .init(location: .file(path), application: .example())), system)
    }
  }

  /// Returns the next pending request of the application.
  private func pending(in system: SystemStore) async throws -> PendingAuthorization {
    try #require(try await system.nextPendingAuthorization(waits: true))
  }

  @Test func `a request has the information for the user, and an answer ends the wait`() async throws {
    try await withStores { store, system in
      async let asking: Void = store.requestAuthorization(toShare: [heartRateType], read: [stepType])
      let question = try await pending(in: system)
      #expect(question.request.application.name == "Recorder")
      #expect(question.request.application.bundleIdentifier == "org.example.recorder")
      #expect(question.request.application.healthUpdateUsageDescription == "To keep your heart rate.")
      #expect(question.request.application.healthShareUsageDescription == "To chart your heart rate.")
      #expect(question.request.share == [heartRateType])
      #expect(question.request.read == [stepType])
      try await system.answer(question, .granted(share: [heartRateType], read: []))
      try await asking
      #expect(store.authorizationStatus(for: heartRateType) == .sharingAuthorized)
      let steps = HKSampleQueryDescriptor(predicates: [.quantitySample(type: stepType)], sortDescriptors: [])
      #expect(try await steps.result(for: store).isEmpty)
      let left = try await system.nextPendingAuthorization()
      #expect(left == nil)
    }
  }

  @Test func `types that a request does not show are denied, whatever else is granted`() async throws {
    try await withStores { store, system in
      let database = system.database
      let request = PermissionRequest(
        try .example(),
        share: [heartRateType.identifier, "TypeOfALaterVersion", "HKCharacteristicTypeIdentifierBloodType"],
        read: [stepType.identifier, "TypeOfALaterVersion"])
      let id = try await database.ask(request, at: 0)
      let question = try await pending(in: system)
      #expect(question.request.share == [heartRateType])
      #expect(question.request.read == [stepType])
      try await system.answer(question, .grantedAll)
      let kept = try await system.permissions()
      #expect(
        Set(kept.filter { $0.share == true || $0.read == true }.map(\.type))
          == [heartRateType.identifier, stepType.identifier])
      #expect(kept.contains { $0.type == "TypeOfALaterVersion" && $0.share == false && $0.read == false })
      #expect(try await database.answer(to: id) == .decided)
    }
  }

  @Test func `requests of programs that no longer run are not shown`() async throws {
    try await withStores { store, system in
      let database = system.database
      let this = try #require(RunningProcess.this)
      let request = PermissionRequest(try .example(), share: [heartRateType.identifier])
      // A process with the ID of a running one, but with another start time, has ended.
      let gone = RunningProcess(process: this.process, started: this.started + "0")
      let abandoned = try await database.ask(request, by: gone, at: 0)
      let next = try await system.nextPendingAuthorization()
      #expect(next == nil)
      #expect(try await database.answer(to: abandoned) == .cancelled)
      _ = try await database.ask(request, by: gone, at: 0)
      try await store.handleAuthorizationForExtension()

      let waiting = Task { try await store.requestAuthorization(toShare: [heartRateType], read: []) }
      let question = try await pending(in: system)
      #expect(try await database.askers() == [question.id: this])
      try await system.answer(question, .grantedAll)
      try await waiting.value
    }
  }

  @Test func `declining to answer cancels the request`() async throws {
    try await withStores { store, system in
      let asking = Task { try await store.requestAuthorization(toShare: [heartRateType], read: []) }
      try await system.answer(try await pending(in: system), .cancelled)
      await expectFailure(.errorUserCanceled) { try await asking.value }
      let left = try await system.nextPendingAuthorization()
      #expect(left == nil)
    }
  }

  @Test func `decisions on all its types also answer a request`() async throws {
    try await withStores { store, system in
      async let asking: Void = store.requestAuthorization(toShare: [heartRateType], read: [stepType])
      _ = try await pending(in: system)
      try await system.setPermission(
        share: false, read: nil, on: [heartRateType], for: "org.example.recorder")
      #expect(try await pending(in: system).request.share.isEmpty)
      try await system.setPermission(share: nil, read: true, on: [stepType], for: "org.example.recorder")
      try await asking
      #expect(store.authorizationStatus(for: heartRateType) == .sharingDenied)
    }
  }

  @Test func `a cancelled task withdraws its request`() async throws {
    try await withStores { store, system in
      let asking = Task { try await store.requestAuthorization(toShare: [heartRateType], read: []) }
      _ = try await pending(in: system)
      asking.cancel()
      await #expect(throws: CancellationError.self) { try await asking.value }
      let left = try await system.nextPendingAuthorization()
      #expect(left == nil)
    }
  }

  @Test func `a request of an extension waits, too`() async throws {
    try await withStores { store, system in
      try await store.handleAuthorizationForExtension()
      async let asking: Void = store.requestAuthorization(toShare: [heartRateType], read: [])
      let question = try await pending(in: system)
      async let handling: Void = store.handleAuthorizationForExtension()
      try await system.answer(question, .grantedAll)
      try await handling
      try await asking
    }
  }
}
