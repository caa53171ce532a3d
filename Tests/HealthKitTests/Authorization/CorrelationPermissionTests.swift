import HealthKit
import Testing

@Suite struct CorrelationPermissionTests {
  private let type = HKCorrelationType(.bloodPressure)
  private let systolic = HKQuantityType(.bloodPressureSystolic)
  private let diastolic = HKQuantityType(.bloodPressureDiastolic)

  private func correlations(in application: ApplicationUnderTest, limit: Int? = nil) async throws
    -> [HKCorrelation]
  {
    try await samples(type, in: application.store, limit: limit).compactMap { $0 as? HKCorrelation }
  }

  @Test func `a correlation without a decision on any part is not determined`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.monitor.save(bloodPressure(120, 80, at: 0))
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await correlations(in: application)
      }
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a correlation shows only the parts that may be read`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      try await application.monitor.save(bloodPressure(120, 80, at: 0))
      try await application.decide(read: true, systolic)
      try await application.decide(read: false, diastolic)
      let mixed = try #require(try await correlations(in: application).first)
      #expect(mixed.objects.map(\.sampleType) == [systolic])
      try await application.decide(read: true, diastolic)
      #expect(try await correlations(in: application).first?.objects.count == 2)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a correlation without a readable part is not visible`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      try await application.monitor.save(bloodPressure(120, 80, at: 0))
      try await application.decide(read: false, systolic, diastolic)
      #expect(try await correlations(in: application).isEmpty)
    }
  }

  @Test func `an application's own correlation is complete and counts for a limit, hidden ones do not`()
    async throws
  {
    try await StoreDepth.memory.withApplication { application in
      let own = bloodPressure(130, 90, at: 5)
      try await application.monitor.save([bloodPressure(120, 80, at: 0), bloodPressure(121, 81, at: 1)])
      try await application.decide(share: true, read: false, systolic, diastolic)
      try await application.store.save(own)
      let found = try await correlations(in: application, limit: 1)
      #expect(found.map(\.uuid) == [own.uuid])
      #expect(found.first?.objects.count == 2)
    }
  }

  @Test func `hidden members cannot be queried`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let hidden = bloodPressure(120, 80, at: 0)
      try await application.monitor.save(hidden)
      try await application.decide(read: true, systolic)
      try await application.decide(read: false, diastolic)
      let parts = hidden.objects.filter { $0.sampleType == diastolic }.map(\.uuid)
      #expect(try await count(of: diastolic, among: parts, in: application.store) == 0)
      try await application.decide(read: true, diastolic)
      #expect(try await count(of: diastolic, among: parts, in: application.store) == 1)
    }
  }

  /// Returns the number of blood pressures that contain one of these samples of a type.
  private func count(of part: HKSampleType, among uuids: [UUID], in store: HKHealthStore) async throws -> Int?
  {
    await withCheckedContinuation { continuation in
      store.execute(
        HKCorrelationQuery(
          type: type, predicate: nil,
          samplePredicates: [part: HKQuery.predicateForObjects(with: Set(uuids))]
        ) { _, correlations, _ in continuation.resume(returning: correlations?.count) })
    }
  }

  @Test func `an anchored query respects the parts, too`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let (first, second) = (bloodPressure(120, 80, at: 0), bloodPressure(121, 81, at: 1))
      try await application.monitor.save([first, second])
      try await application.monitor.delete(second)
      let query = HKAnchoredObjectQueryDescriptor(predicates: [.sample(type: type)], anchor: nil)
      try await application.decide(read: true, systolic)
      try await application.decide(read: false, diastolic)
      var result = try await query.result(for: application.store)
      #expect(result.addedSamples.compactMap { ($0 as? HKCorrelation)?.objects.count } == [1])
      #expect(result.deletedObjects.map(\.uuid) == [second.uuid])
      try await application.decide(read: false, systolic)
      result = try await query.result(for: application.store)
      #expect(result.addedSamples.isEmpty && result.deletedObjects.isEmpty)
    }
  }
}
