import HealthStorage
import Testing

@testable import HealthKit
@testable import TestSupport

/// Tests that queries of the store and evaluation in memory agree, for random samples and predicates.
@Suite struct PredicateEqualityTests {
  private static let types: [HKSampleType] = [
    HKQuantityType(.bodyMass), HKQuantityType(.distanceWalkingRunning),
    HKQuantityType(.bloodPressureSystolic),
    HKQuantityType(.bloodPressureDiastolic), HKCategoryType(.sleepAnalysis),
    HKCorrelationType(.bloodPressure), HKSeriesType.heartbeat(), .workoutType(),
    .electrocardiogramType(), .stateOfMindType(), HKClinicalType(.labResultRecord),
    HKClinicalType(.allergyRecord), ObjectTypes.verifiableClinicalRecord, ObjectTypes.medicationDoseEvent,
  ]

  private func samples(
    _ predicate: NSPredicate?, of types: [HKSampleType] = types, in store: HKHealthStore
  ) async throws -> [HKSample] {
    try await HKSampleQueryDescriptor(
      predicates: types.map { .sample(type: $0, predicate: predicate) }, sortDescriptors: []
    ).result(for: store)
  }

  @available(*, deprecated)
  @Test(arguments: 1...UInt64(isLongRun ? 60 : 2))
  func `SQL and evaluation in memory find the same samples`(seed: UInt64) async throws {
    let store = try HKHealthStore.inMemory()
    var random = RandomSamples(generator: SeededGenerator(seed: seed))
    for _ in 0..<4 {
      let source = store.acting(as: random.revision())
      for _ in 0..<4 { try await source.save(random.sample()) }
    }
    let all = try await samples(nil, in: store)
    #expect(all.count >= 16)
    let types = Array(Set(all.map(\.sampleType)))
    for number in 0..<(isLongRun ? 100 : 50) {
      let predicate = try random.predicate(depth: 2, among: all)
      let found = try await samples(predicate, of: types, in: store)
      let expected = all.filter { predicate.evaluate(with: $0) }
      #expect(
        Set(found.map(\.uuid)) == Set(expected.map(\.uuid)),
        "seed \(seed), predicate \(number): \(String(describing: PredicateTranslation(predicate)))")
      #expect(found.count == expected.count)
    }
    try await deleting(all, in: store, &random)
  }

  @available(*, deprecated)
  private func deleting(
    _ stored: [HKSample], in store: HKHealthStore, _ random: inout RandomSamples
  ) async throws {
    var stored = stored
    for _ in 0..<3 where !stored.isEmpty {
      let predicate = try random.predicate(depth: 2, among: stored)
      let one = random.pick(stored)
      let doomed = stored.filter {
        $0.sampleType == one.sampleType && $0.sourceRevision.source == one.sourceRevision.source
          && predicate.evaluate(with: $0)
      }
      let count = try await store.acting(as: one.sourceRevision)
        .deleteObjects(of: one.sampleType, predicate: predicate)
      #expect(count == doomed.count)
      stored.removeAll { doomed.contains($0) }
      #expect(try await Set(samples(nil, in: store)) == Set(stored))
    }
  }
}
