import HealthKit

/// Code blocks that use the user's own store. They are compiled but not run.
enum FirstPrograms {
  static func landingPage() async throws {
    let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 72),
      start: .now, end: .now,
      metadata: [HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue])
    let store = HKHealthStore()
    try await store.requestAuthorization(toShare: [sample.sampleType], read: [])
    try await store.save(sample)
  }

  static func gettingStarted() async throws {
    let store = HKHealthStore()
    let heartRate = HKQuantityType(.heartRate)
    let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

    try await store.requestAuthorization(toShare: [heartRate], read: [heartRate])
    if store.authorizationStatus(for: heartRate) == .sharingAuthorized {
      let quantity = HKQuantity(unit: beatsPerMinute, doubleValue: 72)
      try await store.save(HKQuantitySample(type: heartRate, quantity: quantity, start: .now, end: .now))
    }
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: heartRate)],
      sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 10)
    for sample in try await query.result(for: store) {
      print(sample.startDate, sample.quantity.doubleValue(for: beatsPerMinute))
    }
  }

  static func permission() async throws {
    let store = HKHealthStore()  // this program, the user's store, the user decides
    try await store.requestAuthorization(toShare: [HKQuantityType(.heartRate)], read: [])
    if store.authorizationStatus(for: HKQuantityType(.heartRate)) == .sharingAuthorized { print("granted") }
  }

  static func readme() async throws {
    let store = HKHealthStore()
    let lastHour = HKQuery.predicateForSamples(withStart: .now.addingTimeInterval(-3600), end: nil)
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate), predicate: lastHour)],
      sortDescriptors: [SortDescriptor(\.startDate)])
    for sample in try await query.result(for: store) {
      print(sample.startDate, sample.quantity.doubleValue(for: HKUnit(from: "count/min")))
    }
  }
}
