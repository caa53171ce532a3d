import HealthKit
import Testing

/// Runs the code blocks of the documentation page on testing.
@Suite struct TestingPrograms {
  @Test func `an in-memory store permits everything`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 100),
        start: .now - 60, end: .now))
    let steps = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.stepCount)), options: .cumulativeSum)
    #expect(try await steps.result(for: store)?.sumQuantity()?.doubleValue(for: .count()) == 100)
  }

  @Test func `a test can answer for a user who refuses`() async throws {
    let configuration = HKHealthStore.Configuration(
      location: .memory,
      application: try HKHealthStore.Application(
        bundleIdentifier: "org.example.recorder", name: "Recorder",
        healthUpdateUsageDescription: "To keep what you type."),
      decision: .asking { request in .granted(share: [], read: request.read) })
    let refusing = try HKHealthStore(configuration: configuration)
    try await refusing.requestAuthorization(toShare: [HKQuantityType(.heartRate)], read: [])
    let status = refusing.authorizationStatus(for: HKQuantityType(.heartRate))
    #expect(status == .sharingDenied)
    let heartRate = HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72), start: .now, end: .now)
    do {
      try await refusing.save(heartRate)
    } catch HKError.errorAuthorizationDenied {
      print("not permitted")
    }
    let error = await #expect(throws: HKError.self) { try await refusing.save(heartRate) }
    #expect(error?.code == .errorAuthorizationDenied)
  }
}
