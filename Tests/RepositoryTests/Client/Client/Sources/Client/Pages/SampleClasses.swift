import Foundation
import HealthKit

/// A sample of the class that was asked for by name, though values of its type do not add up.
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
    try expect(found == [depth] && found.first is HKDiscreteQuantitySample, "what a store gives back")
  }
}
