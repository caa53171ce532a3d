import Testing

@testable import HealthKit

@Suite struct QuantityPredicateTests {
  @available(*, deprecated)
  private func masses(
    _ operatorType: NSComparisonPredicate.Operator, _ value: Double, _ unit: HKUnit
  ) async throws -> [Double] {
    let store = try HKHealthStore.inMemory()
    let type = HKQuantityType(.bodyMass)
    let kilograms = HKUnit.gramUnit(with: .kilo)
    let quantities = [(1, kilograms), (1000, .gram()), (2, kilograms), (2.5, .pound())]
    let samples = quantities.enumerated().map { place, quantity in
      HKQuantitySample(
        type: type, quantity: HKQuantity(unit: quantity.1, doubleValue: quantity.0),
        start: moment(Double(place)), end: moment(Double(place)))
    }
    try await store.save(samples)
    let predicate = HKQuery.predicateForQuantitySamples(
      with: operatorType, quantity: HKQuantity(unit: unit, doubleValue: value))
    return try await found(predicate, .quantitySample(type: type), in: store)
      .map { $0.startDate.timeIntervalSince(moment()) }
  }

  @available(*, deprecated)
  @Test func `quantities are compared by size across units`() async throws {
    #expect(try await masses(.equalTo, 1, .gramUnit(with: .kilo)) == [0, 1])
    #expect(try await masses(.notEqualTo, 1000, .gram()) == [2, 3])
    #expect(try await masses(.greaterThan, 2.3, .pound()) == [2, 3])
    #expect(try await masses(.lessThanOrEqualTo, 2.3, .pound()) == [0, 1])
    #expect(try await masses(.greaterThanOrEqualTo, 2.5, .pound()) == [2, 3])
    #expect(try await masses(.lessThan, 2000, .gram()) == [0, 1, 3])
  }

  @available(*, deprecated)
  @Test func `inconvertible quantities and NaN do not match`() async throws {
    for operatorType: NSComparisonPredicate.Operator in [.equalTo, .notEqualTo, .lessThan] {
      #expect(try await masses(operatorType, 1, .meter()) == [])
      #expect(try await masses(operatorType, .nan, .gram()) == [])
      #expect(try await masses(operatorType, .nan, .gramUnit(with: .kilo)) == [])
    }
    #expect(try await masses(.lessThan, .infinity, .gram()) == [0, 1, 2, 3])
  }
}
