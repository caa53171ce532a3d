import Foundation
import HealthKit

/// Voltages asked for in the words of Objective-C, which many programs have kept.
enum ElectrocardiogramQueries: Page {
  /// What a program does with each recording that it finds.
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
