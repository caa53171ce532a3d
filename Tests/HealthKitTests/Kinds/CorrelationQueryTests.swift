import HealthKit
import Testing

@Suite(.timeLimit(.minutes(30))) struct CorrelationQueryTests {
  private let systolic = HKQuantityType(.bloodPressureSystolic)
  private let diastolic = HKQuantityType(.bloodPressureDiastolic)
  private let bloodPressure = HKCorrelationType(.bloodPressure)

  private func pressure(_ high: Double, _ low: Double, at second: Double) -> HKCorrelation {
    func sample(_ type: HKQuantityType, _ value: Double) -> HKQuantitySample {
      HKQuantitySample(
        type: type, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
        start: moment(second), end: moment(second))
    }
    return HKCorrelation(
      type: bloodPressure, start: moment(second), end: moment(second),
      objects: [sample(systolic, high), sample(diastolic, low)])
  }

  private func found(
    _ store: HKHealthStore, _ predicate: NSPredicate? = nil, holding: [HKSampleType: NSPredicate]? = nil
  ) async throws -> [HKCorrelation] {
    let type = bloodPressure
    let samples = holding?.mapValues(Handed.init)
    let handed = predicate.map(Handed.init)
    return try await withCheckedThrowingContinuation { continuation in
      store.execute(
        HKCorrelationQuery(
          type: type, predicate: handed?.predicate, samplePredicates: samples?.mapValues(\.predicate)
        ) { _, correlations, error in
          continuation.resume(with: error.map(Result.failure) ?? .success(correlations ?? []))
        })
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `correlations are returned with their members`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let saved = pressure(120, 80, at: 0)
      try await store.save([saved, pressure(130, 90, at: 10)])
      let all = try await found(store)
      #expect(all.map(\.startDate) == [moment(0), moment(10)])
      #expect(all.first?.objects == saved.objects)
      #expect(all.first?.objects(for: systolic).count == 1)
      let source = all.first?.objects.first?.sourceRevision.source
      #expect(source == HKSource.default())
      let late = HKQuery.predicateForSamples(withStart: moment(5), end: nil)
      #expect(try await found(store, late).count == 1)
    }
  }

  @Test func `sample predicates apply to the members of a correlation`() async throws {
    let store = try HKHealthStore.inMemory()
    let (one, other) = (pressure(120, 80, at: 0), pressure(130, 90, at: 10))
    try await store.save([one, other])
    func having(_ correlation: HKCorrelation, _ type: HKQuantityType) -> NSPredicate {
      HKQuery.predicateForObjects(with: Set(correlation.objects(for: type).map(\.uuid)))
    }
    #expect(try await found(store, holding: [systolic: having(one, systolic)]) == [one])
    #expect(
      try await found(
        store, holding: [systolic: having(one, systolic), diastolic: having(other, diastolic)]) == [])
    // Each predicate applies only to samples of its type, so the UUID of a diastolic value matches no
    // systolic value.
    #expect(try await found(store, holding: [systolic: having(one, diastolic)]) == [])
    #expect(try await found(store, holding: [:]).count == 2)
  }

  @Test func `the query has its predicates as properties`() {
    let query = HKCorrelationQuery(
      type: bloodPressure, predicate: nil,
      samplePredicates: [systolic: HKQuery.predicateForObject(with: UUID())]
    ) { _, _, _ in }
    #expect(query.correlationType == bloodPressure)
    #expect(query.objectType == bloodPressure)
    #expect(query.samplePredicates?.count == 1)
  }

  @Test func `members of a correlation are also returned separately`() async throws {
    let store = try HKHealthStore.inMemory()
    let saved = pressure(120, 80, at: 0)
    try await store.save(saved)
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: systolic)], sortDescriptors: [])
    #expect(try await query.result(for: store).count == 1)
    // Deleting the correlation does not delete its members.
    try await store.delete(saved)
    #expect(try await query.result(for: store).count == 1)
    #expect(try await found(store) == [])
  }
}

/// A predicate that one task passes to another. The first task does not use it afterwards.
// @unchecked: used by one task at a time.
private struct Handed: @unchecked Sendable {
  let predicate: NSPredicate
}
