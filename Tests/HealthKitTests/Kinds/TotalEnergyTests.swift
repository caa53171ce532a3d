import HealthKit
import HealthSystem
import Testing

/// Tests dividing energy into resting and active energy (docs/healthkit-rules.md, §6.1).
@Suite struct TotalEnergyTests {
  @available(*, deprecated)
  private func split(
    _ energy: HKQuantity, hours: Double, in store: HKHealthStore
  ) async -> (resting: HKQuantity?, active: HKQuantity?, error: (any Error)?) {
    await withCheckedContinuation { continuation in
      store.splitTotalEnergy(energy, start: moment(), end: moment(hours * 3_600)) {
        continuation.resume(returning: ($0, $1, $2))
      }
    }
  }

  private func kilocalories(_ value: Double) -> HKQuantity {
    HKQuantity(unit: .kilocalorie(), doubleValue: value)
  }

  private func measure(_ type: HKQuantityTypeIdentifier, _ unit: HKUnit, _ value: Double) -> HKQuantitySample
  {
    HKQuantitySample(
      type: HKQuantityType(type), quantity: HKQuantity(unit: unit, doubleValue: value), start: moment(-60),
      end: moment(-60))
  }

  @available(*, deprecated)
  @Test func `resting energy follows the published equation, and the rest is activity`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    try await store.user.setDateOfBirth(ActivityDay(year: 1983, month: 1, day: 1))
    try await store.user.setCharacteristic(.biologicalSex, to: HKBiologicalSex.female.rawValue)
    try await store.save([
      measure(.bodyMass, .gramUnit(with: .kilo), 60), measure(.height, .meterUnit(with: .centi), 160),
    ])
    // The resting energy per day is 10 · 60 + 6.25 · 160 − 5 · 40 − 161 kcal, for 60 kg, 160 cm and 40 years.
    let answer = await split(kilocalories(200), hours: 2.4, in: store)
    #expect(abs((answer.resting?.doubleValue(for: .kilocalorie()) ?? 0) - 123.9) < 1e-9)
    #expect(abs((answer.active?.doubleValue(for: .kilocalorie()) ?? 0) - 76.1) < 1e-9)
  }

  @available(*, deprecated)
  @Test func `without data a typical adult is assumed, and resting energy is at most the total`() async throws
  {
    let store = try HKHealthStore.inMemory()
    let answer = await split(kilocalories(2_000), hours: 24, in: store)
    #expect(answer.resting == kilocalories(700 + 1_062.5 - 175 - 78))
    let little = await split(HKQuantity(unit: .jouleUnit(with: .kilo), doubleValue: 10), hours: 24, in: store)
    #expect(little.active?.doubleValue(for: .kilocalorie()) == 0)
    #expect(little.resting.map { abs($0.doubleValue(for: .jouleUnit(with: .kilo)) - 10) < 1e-9 } == true)
  }

  @available(*, deprecated)
  @Test func `an end before the start is errorInvalidArgument`() async throws {
    let store = try HKHealthStore.inMemory()
    let answer = await split(kilocalories(1), hours: -1, in: store)
    #expect((answer.error as? HKError)?.code == .errorInvalidArgument)
    #expect(answer.resting == nil && answer.active == nil)
  }
}
