import HealthKit
import Testing

/// Runs the code blocks of the documentation page on saving and deleting.
@Suite struct SavingPrograms {
  private let store: HKHealthStore

  init() throws { store = try .inMemory() }

  private func count(_ type: HKSampleType) async throws -> Int {
    try await HKSampleQueryDescriptor(predicates: [.sample(type: type)], sortDescriptors: [])
      .result(for: store).count
  }

  @Test func `a sample is saved and deleted`() async throws {
    let quantity = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72)
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: quantity, start: .now, end: .now,
      metadata: [HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue])
    try await store.save(sample)
    #expect(try await self.count(HKQuantityType(.heartRate)) == 1)
    try await saveAnother()
    try await store.delete(sample)
    let yesterday = HKQuery.predicateForSamples(withStart: .now - 86_400, end: .now)
    let count = try await store.deleteObjects(of: HKQuantityType(.heartRate), predicate: yesterday)
    #expect(count == 1)
    #expect(try await self.count(HKQuantityType(.heartRate)) == 0)
  }

  private func saveAnother() async throws {
    let quantity = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 80)
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.heartRate), quantity: quantity, start: .now - 60, end: .now - 60))
  }

  @Test func `external input becomes a sample or an error`() async throws {
    func record(_ text: String, in store: HKHealthStore) async throws {
      guard let number = Double(text) else { return }
      let sample = try HKQuantitySample.validated(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: number), start: .now, end: .now)
      try await store.save(sample)
    }
    try await record("72", in: store)
    try await record("seventy", in: store)
    #expect(try await count(HKQuantityType(.heartRate)) == 1)
  }

  @Test func `a later version replaces the earlier one`() async throws {
    func measured(_ value: Double, version: Int) -> HKQuantitySample {
      HKQuantitySample(
        type: HKQuantityType(.bodyMass),
        quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: value), start: .now, end: .now,
        metadata: [HKMetadataKeySyncIdentifier: "scale-2026-01-01", HKMetadataKeySyncVersion: version])
    }
    try await store.save(measured(70.0, version: 1))
    try await store.save(measured(70.5, version: 2))
    let stored = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.bodyMass))], sortDescriptors: []
    ).result(for: store)
    #expect(stored.map { $0.quantity.doubleValue(for: .gramUnit(with: .kilo)) } == [70.5])
  }

  @Test func `a correlation is saved with its samples`() async throws {
    let now = Date.now
    let unit = HKUnit.millimeterOfMercury()
    let systolic = HKQuantitySample(
      type: HKQuantityType(.bloodPressureSystolic), quantity: HKQuantity(unit: unit, doubleValue: 120),
      start: now, end: now)
    let diastolic = HKQuantitySample(
      type: HKQuantityType(.bloodPressureDiastolic), quantity: HKQuantity(unit: unit, doubleValue: 80),
      start: now, end: now)
    let pressure = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: now, end: now, objects: [systolic, diastolic])
    try await store.save(pressure)
    #expect(try await count(HKCorrelationType(.bloodPressure)) == 1)
    #expect(try await count(HKQuantityType(.bloodPressureSystolic)) == 1)
  }
}
