import HealthKit
import HealthStorage
import Testing

@Suite struct SyncIdentifierTests {
  private func sample(_ value: Double, version: Int, identifier: String = "x") -> HKQuantitySample {
    heartRate(
      value, at: value,
      metadata: [HKMetadataKeySyncIdentifier: identifier, HKMetadataKeySyncVersion: version])
  }

  @Test(arguments: StoreDepth.allCases)
  func onlyAGreaterVersionReplaces(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let steps: [(value: Double, version: Int, counts: [Int], kept: Double)] = [
        (1, 2, [1, 0, 0], 1), (2, 2, [0, 0, 1], 1), (3, 1, [0, 0, 1], 1), (4, 3, [0, 1, 0], 4),
      ]
      for step in steps {
        let outcome = try await store.saveReporting([sample(step.value, version: step.version)])
        let kept = try await everyHeartRate().result(for: store).values
        #expect(outcome.counts == step.counts)
        #expect(kept == [step.kept])
      }
    }
  }

  @Test func theScopeIsOneSourceAndOneType() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(sample(1, version: 1))
    let other = store.acting(as: HKSource(name: "o", bundleIdentifier: "o"))
    #expect(try await other.saveReporting([sample(2, version: 1)]).stored == 1)
    #expect(try await store.saveReporting([sample(3, version: 1, identifier: "y")]).stored == 1)
    let energy = HKQuantitySample(
      type: HKQuantityType(.activeEnergyBurned), quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 1),
      start: moment(), end: moment(1),
      metadata: [HKMetadataKeySyncIdentifier: "x", HKMetadataKeySyncVersion: 1])
    #expect(try await store.saveReporting([energy]).stored == 1)
  }

  @Test func versionsWithinOneBatchFollowTheirOrder() async throws {
    let store = try HKHealthStore.inMemory()
    let outcome = try await store.saveReporting([
      sample(1, version: 1), sample(2, version: 3), sample(3, version: 2),
    ])
    #expect(outcome.counts == [1, 1, 1])
    #expect(try await everyHeartRate().result(for: store).values == [2])
  }

  private func pressure(_ value: Double, _ type: HKQuantityTypeIdentifier, version: Int) -> HKQuantitySample {
    HKQuantitySample(
      type: HKQuantityType(type),
      quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value), start: moment(), end: moment(),
      metadata: [HKMetadataKeySyncIdentifier: "p", HKMetadataKeySyncVersion: version])
  }

  private func correlations(in store: HKHealthStore) async throws -> [[Double]] {
    try await HKSampleQueryDescriptor(
      predicates: [.correlation(type: HKCorrelationType(.bloodPressure))], sortDescriptors: []
    ).result(for: store).map { correlation in
      correlation.objects.compactMap {
        ($0 as? HKQuantitySample)?.quantity.doubleValue(for: .millimeterOfMercury())
      }.sorted()
    }
  }

  @Test func aGreaterVersionReplacesAlsoInsideACorrelation() async throws {
    let store = try HKHealthStore.inMemory()
    let both: Set<HKSample> = [
      pressure(120, .bloodPressureSystolic, version: 2), pressure(80, .bloodPressureDiastolic, version: 2),
    ]
    func correlation(_ objects: Set<HKSample>) -> HKCorrelation {
      HKCorrelation(
        type: HKCorrelationType(.bloodPressure), start: moment(), end: moment(), objects: objects)
    }
    try await store.save(correlation(both))
    try await store.save(pressure(125, .bloodPressureSystolic, version: 3))
    #expect(try await correlations(in: store) == [[80, 125]])
    // A new correlation contains an older version of a stored member. It gets the stored version instead.
    try await store.save(correlation([pressure(110, .bloodPressureSystolic, version: 1)]))
    #expect(try await correlations(in: store) == [[80, 125], [125]])
  }
}

extension SaveOutcome {
  fileprivate var counts: [Int] { [stored, replaced, ignored] }
}
