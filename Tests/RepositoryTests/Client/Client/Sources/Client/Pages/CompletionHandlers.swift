import Foundation
import HealthKit

/// Completion handlers that capture values that are not Sendable, as in programs older than Swift
/// concurrency.
enum CompletionHandlers: Page {
  /// A view model without concurrency annotations.
  private class Model {
    var samples: [HKSample] = []
    var messages: [String] = []
  }

  private class Recorder {
    private let store: HKHealthStore
    private let model: Model

    init(_ store: HKHealthStore, _ model: Model) {
      self.store = store
      self.model = model
    }

    func record(_ rate: Double, completion: @escaping (Error?) -> Void) {
      let sample = HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: rate), start: Date(), end: Date())
      store.save(sample) { success, error in
        // Swift 6 warns: capture of 'self' with non-Sendable type 'CompletionHandlers.Recorder'
        self.model.messages.append(success ? "saved" : "not saved")
        // Swift 6 warns: capture of 'completion' with non-Sendable type '((any Error)?) -> Void'
        completion(error)
      }
    }

    func read(completion: @escaping () -> Void) {
      var calls = 0
      let query = HKSampleQuery(
        sampleType: HKQuantityType(.heartRate), predicate: nil, limit: 10, sortDescriptors: nil
      ) { [weak self] _, samples, _ in
        // Swift 6 warns: mutation of captured var 'calls' in concurrently-executing code
        calls += 1
        // Swift 6 warns: capture of 'self' with non-Sendable type 'CompletionHandlers.Recorder?'
        self?.model.samples = samples ?? []
        // Swift 6 warns: capture of 'completion' with non-Sendable type '() -> Void'
        completion()
      }
      store.execute(query)
    }
  }

  /// A subclass of the store that a test uses in place of the real store.
  private class RefusingStore: HKHealthStore, @unchecked Sendable {
    override func requestAuthorization(
      toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?,
      completion: @escaping (Bool, Error?) -> Void
    ) {
      completion(false, HKError(.errorAuthorizationDenied))
    }
  }

  static func run() async throws {
    let model = Model()
    let recorder = Recorder(try HKHealthStore.inMemory(), model)
    let error = await withCheckedContinuation { continuation in
      recorder.record(72) { continuation.resume(returning: $0) }
    }
    try expect(error == nil && model.messages == ["saved"], "the handler of a save")
    await withCheckedContinuation { continuation in recorder.read { continuation.resume() } }
    try expect(model.samples.count == 1, "the handler of a query")

    let refusal = await withCheckedContinuation { continuation in
      RefusingStore().requestAuthorization(toShare: nil, read: [HKQuantityType(.heartRate)]) { _, error in
        continuation.resume(returning: error)
      }
    }
    try expect((refusal as? HKError)?.code == .errorAuthorizationDenied, "a custom store")
  }
}
