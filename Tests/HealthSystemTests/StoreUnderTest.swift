import HealthKit
import HealthSystem
import Testing

let heartRateType = HKQuantityType(.heartRate)
let stepType = HKQuantityType(.stepCount)

/// A fixed moment, and seconds from it.
func moment(_ seconds: Double = 0) -> Date {
  Date(timeIntervalSince1970: 1_700_000_000 + seconds)
}

func heartRate(_ value: Double, at seconds: Double) -> HKQuantitySample {
  HKQuantitySample(
    type: heartRateType, quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: value),
    start: moment(seconds), end: moment(seconds))
}

/// Calls the body with the path of a store that is not there yet.
func withPath(_ body: (String) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
  defer { try? FileManager.default.removeItem(at: directory) }
  try await body(directory.appending(path: "health.sqlite").path)
}

/// Calls the body with an empty store in memory, and with one in a file.
func withEachStore(_ body: (SystemStore) async throws -> Void) async throws {
  try await body(SystemStore(HKHealthStore.inMemory()))
  try await withPath { try await body(SystemStore(at: $0)) }
}

extension HKHealthStore {
  /// A store in memory as an application sees it that nobody answers.
  static func ofApplication() throws -> HKHealthStore {
    try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(),
        decision: .asking { _ in
          Issue.record("the application asked")
          return .cancelled
        }))
  }
}

extension HKHealthStore.Application {
  /// An application that says of itself all that it must.
  static func example(
    entitlements: Entitlements = Entitlements(healthKit: true)
  ) throws -> HKHealthStore.Application {
    try HKHealthStore.Application(
      bundleIdentifier: "org.example.recorder", name: "Recorder", version: "1.2", entitlements: entitlements,
      healthShareUsageDescription: "To chart your heart rate.",
      healthUpdateUsageDescription: "To keep your heart rate.")
  }
}

/// That the work fails with an error of this code.
func expectFailure<Value>(
  _ code: HKError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> Value
) async {
  let error = await #expect(throws: HKError.self, sourceLocation: sourceLocation) { try await work() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
