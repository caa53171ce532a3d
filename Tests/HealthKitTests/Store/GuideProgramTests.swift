import HealthKit
import Testing

/// The program of Apple's HealthKit guide without its user interface, as written for an iPhone. It compiles
/// here without changes.
final class HeartRateModel {
  private let healthStore: HKHealthStore
  private(set) var enabled = false
  private(set) var errorMessage: String?
  private(set) var stored: [HKQuantity] = []

  init(healthStore: HKHealthStore) {
    self.healthStore = healthStore
  }

  private var heartRateType: HKQuantityType? { HKObjectType.quantityType(forIdentifier: .heartRate) }

  /// Requests permission to save heart rates.
  func validateAuthorization() async throws {
    guard let heartRateType, HKHealthStore.isHealthDataAvailable() else { return }
    try await healthStore.requestAuthorization(toShare: [heartRateType], read: [])
    reactToHealthCarePermissions()
  }

  private func reactToHealthCarePermissions() {
    guard let heartRateType else { return }
    enabled = healthStore.authorizationStatus(for: heartRateType) == .sharingAuthorized
  }

  func heartRateInBeatsPerMinute(_ beatsPerMinute: UInt16) -> HKQuantity {
    let heartRateUnit = HKUnit.count().unitDivided(by: .minute())
    return HKQuantity(unit: heartRateUnit, doubleValue: Double(beatsPerMinute))
  }

  func storeHeartRate(_ quantity: HKQuantity) async {
    let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())
    guard quantity.is(compatibleWith: beatsPerMinute), let heartRateType else {
      errorMessage = "Units must be compatible with BPM"
      return
    }
    let now = Date()
    let sample = HKQuantitySample(
      type: heartRateType, quantity: quantity, start: now, end: now,
      metadata: [HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue])
    do {
      try await healthStore.save(sample)
      stored.append(quantity)
    } catch {
      errorMessage = "Save could not be performed: \(error.localizedDescription)"
    }
  }
}

@Suite struct GuideProgramTests {
  @Test func `a heart rate of 72 is stored with the sensor location`() async throws {
    let store = try HKHealthStore.inMemory()
    let model = HeartRateModel(healthStore: store)
    try await model.validateAuthorization()
    #expect(model.enabled)
    let quantity = model.heartRateInBeatsPerMinute(72)
    #expect(quantity.description == "72 count/min")
    await model.storeHeartRate(quantity)
    #expect(model.stored == [quantity])
    #expect(model.errorMessage == nil)
    let descriptor = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))],
      sortDescriptors: [SortDescriptor(\.startDate)])
    let sample = try #require(try await descriptor.result(for: store).first)
    #expect(sample.quantity.doubleValue(for: HKUnit(from: "count/min")) == 72)
    #expect(sample.metadata?[HKMetadataKeyHeartRateSensorLocation] as? Int == 1)
  }

  @Test func `a heart rate in kilograms is rejected`() async throws {
    let model = HeartRateModel(healthStore: try .inMemory())
    await model.storeHeartRate(HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 72))
    #expect(model.errorMessage == "Units must be compatible with BPM")
    #expect(model.stored.isEmpty)
  }

  @Test func `saving without a request fails with the documented error`() async throws {
    let kilograms = HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 72)
    do {
      _ = try HKQuantitySample.validated(
        type: HKQuantityType(.heartRate), quantity: kilograms, start: moment(), end: moment())
      Issue.record("72 kg became a heart rate")
    } catch {
      #expect(error.exception == .objectValidation)
      #expect(error.reason.contains("HKQuantityTypeIdentifierHeartRate"))
      #expect(error.reason.contains("kg"))
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 72), start: Date(), end: Date())
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("_HKObjectValidationFailureException"))
  }

  @Test func `requesting a type that cannot be requested traps, like Apple's exception`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try HKHealthStore.inMemory()
      try await store.requestAuthorization(toShare: [HKQuantityType(.appleExerciseTime)], read: [])
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Authorization to share the following types is disallowed"))
  }
}
