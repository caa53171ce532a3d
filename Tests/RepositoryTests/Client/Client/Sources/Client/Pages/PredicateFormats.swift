import Foundation
import HealthKit

/// Predicates with format strings and Apple's key paths.
enum PredicateFormats: Page {
  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let steps = HKQuantityType(.stepCount)
    let now = Date()
    func sample(_ count: Double, hoursAgo hours: Double, isEntered: Bool?) -> HKQuantitySample {
      HKQuantitySample(
        type: steps, quantity: HKQuantity(unit: .count(), doubleValue: count), start: now - hours * 3600,
        end: now - hours * 3600 + 60, metadata: isEntered.map { [HKMetadataKeyWasUserEntered: $0] })
    }
    let samples = [
      sample(1, hoursAgo: 30, isEntered: nil), sample(2, hoursAgo: 3, isEntered: true),
      sample(3, hoursAgo: 2, isEntered: nil), sample(4, hoursAgo: 1, isEntered: false),
    ]
    try await store.save(samples)

    func find(_ predicate: NSPredicate) async throws -> [Double] {
      let descriptor = HKSampleQueryDescriptor(
        predicates: [.quantitySample(type: steps, predicate: predicate)],
        sortDescriptors: [SortDescriptor(\.startDate)])
      return try await descriptor.result(for: store).map { $0.quantity.doubleValue(for: .count()) }
    }

    let measured = NSPredicate(format: "metadata.%K != YES", HKMetadataKeyWasUserEntered)
    try expect(await find(measured) == [1, 3, 4], "without what the user entered")
    let yesterday = (now - 86_400) as NSDate
    let recent = NSPredicate(
      format: "%K >= %@ AND %K <= %@", HKPredicateKeyPathStartDate, yesterday, HKPredicateKeyPathEndDate,
      now as NSDate)
    try expect(await find(recent) == [2, 3, 4], "between dates")
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [measured, recent])
    try expect(await find(both) == [3, 4], "a compound")
    let few = NSPredicate(
      format: "%K < %@", HKPredicateKeyPathQuantity, HKQuantity(unit: .count(), doubleValue: 3))
    try expect(await find(few) == [1, 2], "by quantity")
    let named = NSPredicate(format: "%K IN %@", HKPredicateKeyPathUUID, samples.prefix(2).map(\.uuid))
    try expect(await find(named) == [1, 2], "by UUID")
    let own = NSPredicate(format: "%K == %@", argumentArray: [HKPredicateKeyPathSource, HKSource.default()])
    try expect(await find(own).count == 4, "by source")

    do {
      _ = try await find(NSPredicate(format: "%K == %@", "height", 5))
      throw ExpectationError(description: "a key path that samples do not have was accepted")
    } catch HKError.errorInvalidArgument {
      // The error is expected, because the key path is invalid.
    }
  }
}
