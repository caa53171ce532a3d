import Foundation
import HealthKit

/// Queries voltages with the older query class, which many programs still use.
enum ElectrocardiogramQueries: Page {
  /// Runs the query of one recording, as programs do.
  static func query(_ recording: HKElectrocardiogram, _ store: HKHealthStore) {
    let query = HKElectrocardiogramQuery(electrocardiogram: recording) { query, measurement, done, error in
      if let error { print(error) }
      _ = measurement?.quantity(for: .appleWatchSimilarToLeadI)?.doubleValue(for: .volt())
      if done { store.stop(query) }
    }
    store.execute(query)
  }

  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let recordings = try await HKSampleQueryDescriptor(
      predicates: [.electrocardiogram()], sortDescriptors: []
    ).result(for: store)
    for recording in recordings {
      query(recording, store)
      var descriptor = HKElectrocardiogramQueryDescriptor(recording)
      descriptor.electrocardiogram = recording
    }
    try expect(recordings.isEmpty, "a new store")
  }
}
