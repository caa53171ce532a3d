import Foundation
import HealthKit

/// Creates a cumulative sample of a type whose values are discrete, with the class that the caller names.
enum SampleClasses: Page {
  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let type = HKQuantityType(.underwaterDepth)
    let depth = HKCumulativeQuantitySample(
      type: type, quantity: HKQuantity(unit: .meter(), doubleValue: 12), start: Date() - 60, end: Date())
    try expect(depth.sumQuantity == HKQuantity(unit: .meter(), doubleValue: 12), "the sum")
    try await store.save(depth)

    let descriptor = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: type)], sortDescriptors: [SortDescriptor(\.startDate)])
    let found = try await descriptor.result(for: store)
    try expect(found == [depth] && found.first is HKDiscreteQuantitySample, "the stored sample")
  }
}
