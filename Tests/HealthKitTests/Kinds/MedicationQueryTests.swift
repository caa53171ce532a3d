import HealthKit
import HealthSystem
import Synchronization
import Testing

/// Tests queries for the user's medications (docs/healthkit-rules.md, §7.4, §7.5).
@Suite struct MedicationQueryTests {
  private func medication(
    _ name: String, isArchived: Bool = false, hasSchedule: Bool = false
  ) throws -> HKUserAnnotatedMedication {
    HKUserAnnotatedMedication(
      nickname: nil, isArchived: isArchived, hasSchedule: hasSchedule,
      medication: try HKMedicationConcept(
        identifier: HKHealthConceptIdentifier(domain: .medication, underlyingIdentifier: name),
        displayText: name, generalForm: .tablet, relatedCodings: []))
  }

  private func names(
    _ predicate: NSPredicate? = nil, limit: Int? = nil, in store: HKHealthStore
  ) async throws -> [String] {
    try await HKUserAnnotatedMedicationQueryDescriptor(predicate: predicate, limit: limit).result(for: store)
      .map(\.medication.displayText)
  }

  private func fill(_ store: HKHealthStore) async throws {
    try await store.user.keep(medication("c"))
    try await store.user.keep(medication("a", isArchived: true))
    try await store.user.keep(medication("b", hasSchedule: true))
  }

  @Test(arguments: StoreDepth.allCases)
  func `medications are returned in the order in which they were added, in their current state`(
    _ depth: StoreDepth
  )
    async throws
  {
    try await depth.withStore { store in
      try await fill(store)
      #expect(try await names(in: store) == ["c", "a", "b"])
      let archived = HKQuery.predicateForUserAnnotatedMedications(isArchived: true)
      #expect(try await names(archived, in: store) == ["a"])
      try await store.user.keep(medication("c", isArchived: true))
      #expect(try await names(archived, in: store) == ["c", "a"])
      let scheduled = HKQuery.predicateForUserAnnotatedMedications(hasSchedule: true)
      let either = NSCompoundPredicate(orPredicateWithSubpredicates: [scheduled, archived])
      #expect(try await names(either, limit: 2, in: store) == ["c", "a"])
      #expect(try await names(scheduled, limit: HKObjectQueryNoLimit, in: store) == ["b"])
      try await store.user.forget(medication("a").medication.identifier)
      #expect(try await names(in: store) == ["c", "b"])
    }
  }

  @Test func `a predicate of another kind is errorInvalidArgument`() async throws {
    let store = try HKHealthStore.inMemory()
    do {
      _ = try await names(HKQuery.predicateForObject(with: UUID()), in: store)
      Issue.record("a predicate on samples")
    } catch HKError.errorInvalidArgument {
    }
  }

  @Test func `the query with a handler calls it per medication, and a last time at the end`() async throws {
    let store = try HKHealthStore.inMemory()
    try await fill(store)
    let (answers, continuation) = AsyncStream<String>.makeStream()
    store.execute(
      HKUserAnnotatedMedicationQuery(predicate: nil, limit: 2) { _, medication, done, error in
        continuation.yield("\(medication?.medication.displayText ?? "none") \(done) \(error == nil)")
        if done { continuation.finish() }
      })
    #expect(
      await answers.reduce(into: []) { $0.append($1) } == ["c false true", "a false true", "none true true"])
  }

  @Test func `an application sees medications only after the user permits it`() async throws {
    let grants = Mutex(false)
    let asked = Mutex<[Set<HKObjectType>]>([])
    let store = try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(),
        decision: .asking { request in
          asked.withLock { $0.append(request.read) }
          return grants.withLock { $0 } ? .grantedAll : .granted(share: [], read: [])
        }))
    let type = HKObjectType.userAnnotatedMedicationType()
    // There are no medications to select, so the user is not asked.
    try await store.requestPerObjectReadAuthorization(for: type, predicate: nil)
    #expect(asked.withLock { $0 }.isEmpty)
    try await fill(store.acting(as: .default()))
    #expect(try await names(in: store) == [])
    try await store.requestPerObjectReadAuthorization(for: type, predicate: nil)
    #expect(try await names(in: store) == [])
    grants.withLock { $0 = true }
    try await store.requestPerObjectReadAuthorization(for: type, predicate: nil)
    #expect(try await names(in: store) == ["c", "a", "b"])
    #expect(
      asked.withLock { $0 } == Array(repeating: [type, HKObjectType.medicationDoseEventType()], count: 2))
    let doses = HKSampleQueryDescriptor(predicates: [.medicationDoseEvent()], sortDescriptors: [])
    #expect(try await doses.result(for: store).isEmpty)
  }

  @Test func `a program cannot change medications`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let kept = try medication("a")
      await expectFailure(.errorAuthorizationDenied) { try await application.store.user.keep(kept) }
      #expect(try await names(in: application.system) == [])
    }
  }
}
