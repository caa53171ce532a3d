import Dispatch
import HealthKit
import HealthSystem
import Testing

/// The kind of store in a test: in memory, or in a file. Tests with this argument run with both kinds.
enum StoreDepth: CaseIterable, CustomTestStringConvertible {
  case memory
  case disk

  var testDescription: String {
    switch self {
    case .memory: "in memory"
    case .disk: "on disk"
    }
  }

  /// Calls the body with an empty store.
  func withStore(_ body: (HKHealthStore) async throws -> Void) async throws {
    switch self {
    case .memory:
      try await body(HKHealthStore.inMemory())
    case .disk:
      let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
      defer { try? FileManager.default.removeItem(at: directory) }
      try await body(HKHealthStore(storeAt: directory.appending(path: "health.sqlite").path))
    }
  }
}

extension HKHealthStore {
  /// The user's API of this store: permissions, preferences and upkeep.
  var user: SystemStore {
    get throws { try SystemStore(self) }
  }
}

let beatsPerMinute = HKUnit(from: "count/min")

/// Returns a fixed time plus a number of seconds.
func moment(_ seconds: Double = 0) -> Date {
  Date(timeIntervalSince1970: 1_700_000_000 + seconds)
}

func heartRate(
  _ value: Double, at seconds: Double, lasting duration: Double = 0, device: HKDevice? = nil,
  metadata: [String: Any]? = nil
) -> HKQuantitySample {
  HKQuantitySample(
    type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: beatsPerMinute, doubleValue: value),
    start: moment(seconds), end: moment(seconds + duration), device: device, metadata: metadata)
}

func everyHeartRate(
  _ predicate: NSPredicate? = nil, limit: Int? = nil,
  sorted: [SortDescriptor<HKQuantitySample>] = [SortDescriptor(\.startDate)]
) -> HKSampleQueryDescriptor<HKQuantitySample> {
  HKSampleQueryDescriptor(
    predicates: [.quantitySample(type: HKQuantityType(.heartRate), predicate: predicate)],
    sortDescriptors: sorted, limit: limit)
}

extension [HKQuantitySample] {
  var values: [Double] { map { $0.quantity.doubleValue(for: beatsPerMinute) } }
}

/// The queue of an application's user interface. On Linux it is the main queue, which does not always run on
/// the same thread.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
