import HealthKit
import Testing

@Suite struct CategoryPredicateTests {
  private typealias Sleep = HKCategoryValueSleepAnalysis

  private func sleep(_ value: Sleep, at seconds: Double) -> HKCategorySample {
    HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: value.rawValue, start: moment(seconds),
      end: moment(seconds))
  }

  /// Returns the values that the store finds, after comparing the result with a search in memory.
  private func values(_ predicate: NSPredicate, among samples: [HKCategorySample]) async throws -> [Int] {
    let store = try HKHealthStore.inMemory()
    try await store.save(samples)
    try await store.save(heartRate(2, at: 0))
    let found = try await HKSampleQueryDescriptor(
      predicates: [.categorySample(type: HKCategoryType(.sleepAnalysis), predicate: predicate)],
      sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    #expect(found == samples.filter { predicate.evaluate(with: $0) })
    #expect(!predicate.evaluate(with: heartRate(2, at: 0)))
    return found.map(\.value)
  }

  private var night: [HKCategorySample] {
    [.inBed, .asleepCore, .awake, .asleepREM, .asleepDeep, .asleepUnspecified].enumerated().map {
      sleep($1, at: Double($0))
    }
  }

  @Test func `predicates for single values`() async throws {
    let asleep = Sleep.predicateForSamples(equalTo: Sleep.allAsleepValues)
    #expect(try await values(asleep, among: night) == [3, 5, 4, 1])
    #expect(try await values(HKQuery.predicateForCategorySamples(equalTo: [2]), among: night) == [2])
    #expect(try await values(HKQuery.predicateForCategorySamples(equalTo: []), among: night) == [])
    let awake = NSCompoundPredicate(notPredicateWithSubpredicate: asleep)
    let found = try await values(
      NSCompoundPredicate(andPredicateWithSubpredicates: [
        awake, HKQuery.predicateForSamples(withStart: moment(1), end: nil),
      ]), among: night)
    #expect(found == [2])
  }

  @available(*, deprecated)
  private func compared(_ operatorType: NSComparisonPredicate.Operator) async throws -> [Int] {
    try await values(Sleep.predicateForSamples(operatorType, value: .asleepCore), among: night)
  }

  @available(*, deprecated)
  @Test func `predicates with comparisons`() async throws {
    #expect(try await compared(.lessThan) == [0, 2, 1])
    #expect(try await compared(.lessThanOrEqualTo) == [0, 3, 2, 1])
    #expect(try await compared(.equalTo) == [3])
    #expect(try await compared(.notEqualTo) == [0, 2, 5, 4, 1])
    #expect(try await compared(.greaterThan) == [5, 4])
    #expect(try await compared(.greaterThanOrEqualTo) == [3, 5, 4])
  }
}
