import HealthKit
import HealthSystem
import Testing

extension HKHealthStore.Application {
  /// Returns an application with all required keys in its Info.plist.
  static func example(
    _ identifier: String = "org.example.recorder", entitlements: Entitlements = Entitlements(healthKit: true),
    requiredReadTypes: Set<HKObjectType> = []
  ) throws -> HKHealthStore.Application {
    try HKHealthStore.Application(
      bundleIdentifier: identifier, name: "Recorder", version: "1.2", entitlements: entitlements,
      healthShareUsageDescription: "To chart your heart rate.",
      healthUpdateUsageDescription: "To keep your heart rate.", requiredReadTypes: requiredReadTypes)
  }
}

/// A store as seen by an application and by the system. On disk these are two independent handles on one
/// file, as in two processes.
struct ApplicationUnderTest {
  let store: HKHealthStore
  let system: HKHealthStore
  let identifier = "org.example.recorder"

  func decide(share: Bool? = nil, read: Bool? = nil, _ types: HKObjectType...) async throws {
    try await system.user.setPermission(share: share, read: read, on: types, for: identifier)
  }

  /// The store as a paired monitor uses it, which may save without permission.
  var monitor: HKHealthStore { system.acting(as: HKSource(name: "Strap", bundleIdentifier: "strap")) }
}

extension StoreDepth {
  func withApplication(_ body: (ApplicationUnderTest) async throws -> Void) async throws {
    let unexpected = HKHealthStore.Configuration.Decision.asking { _ in
      Issue.record("the application asked")
      return .cancelled
    }
    switch self {
    case .memory:
      let store = try HKHealthStore(
        configuration: .init(location: .memory, application: .example(), decision: unexpected))
      try await body(ApplicationUnderTest(store: store, system: store.acting(as: HKSource.default())))
    case .disk:
      let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
      defer { try? FileManager.default.removeItem(at: directory) }
      let path = directory.appending(path: "health.sqlite").path
      let system = try HKHealthStore(storeAt: path)
      let store = try HKHealthStore(
        configuration: .init(location: .file(path), application: .example(), decision: unexpected))
      try await body(ApplicationUnderTest(store: store, system: system))
    }
  }
}

let heartRateType = HKQuantityType(.heartRate)
let stepType = HKQuantityType(.stepCount)

func bloodPressure(_ systolic: Double, _ diastolic: Double, at seconds: Double) -> HKCorrelation {
  let parts = [
    (HKQuantityTypeIdentifier.bloodPressureSystolic, systolic), (.bloodPressureDiastolic, diastolic),
  ]
  return HKCorrelation(
    type: HKCorrelationType(.bloodPressure), start: moment(seconds), end: moment(seconds),
    objects: Set(
      parts.map { identifier, value in
        HKQuantitySample(
          type: HKQuantityType(identifier),
          quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
          start: moment(seconds), end: moment(seconds))
      }))
}

func samples(_ type: HKSampleType, in store: HKHealthStore, limit: Int? = nil) async throws -> [HKSample] {
  try await HKSampleQueryDescriptor(
    predicates: [.sample(type: type)], sortDescriptors: [SortDescriptor(\.startDate)], limit: limit
  ).result(for: store)
}

/// Expects that the work fails with an error of this code.
func expectFailure<Value>(
  _ code: HKError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> Value
) async {
  let error = await #expect(throws: HKError.self, sourceLocation: sourceLocation) { try await work() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}

func expectFailure<Value>(
  _ code: HKError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ work: () throws -> Value
) {
  let error = #expect(throws: HKError.self, sourceLocation: sourceLocation) { try work() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
