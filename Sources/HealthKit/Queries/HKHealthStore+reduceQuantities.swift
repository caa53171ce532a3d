package import Foundation
import HealthFormats
import HealthStorage

/// A quantity of a sample or of a series, as it is folded.
package struct FoldedQuantity: Sendable {
  /// Seconds since 1970.
  package let start: TimeInterval
  /// The same; `start` for an instant.
  package let end: TimeInterval
  package let source: HKSource
  /// In the unit that was asked for.
  package let value: Double
}

extension HKHealthStore {
  /// Folds the quantities of the matching samples in order of their time, those of a series each on its own,
  /// as statistics count them. What is in a unit that this version cannot read is passed over.
  ///
  /// The whole read sees one snapshot. No sample object is made.
  /// - Parameter unit: one that the type is compatible with.
  package func reduceQuantities<Result: Sendable>(
    into initial: Result, _ predicate: HKSamplePredicate<HKQuantitySample>, in unit: HKUnit,
    _ body: @escaping @Sendable (inout Result, FoldedQuantity) -> Void
  ) async throws -> Result {
    let type = predicate.sampleType
    let fold = try await HKError.translating {
      try await admit(.read([type])).foldValues(
        predicate.filter, type: type.identifier, prepare: { QuantityFold(initial, unit, $0) },
        { fold, value in fold.add(value, body) })
    }
    return fold.result
  }
}

private struct QuantityFold<Result: Sendable>: Sendable {
  var result: Result
  /// The conversions into the requested unit, by the units that convert into it; nil for itself.
  private let conversions: [Int64: UnitConversion?]
  private let sources: [HKSource]
  /// From a sample's provenance to the place of its source.
  private let places: [Int64: Int]

  init(_ initial: Result, _ unit: HKUnit, _ keys: SampledValueKeys) {
    result = initial
    conversions = keys.units.compactMapValues { symbol -> UnitConversion?? in
      guard let own = try? HKUnit.validated(from: symbol), own.isCompatible(with: unit) else { return nil }
      return .some(own == unit ? nil : own.conversion(to: unit))
    }
    sources = keys.sources.map { HKSource($0) }
    places = keys.provenances
  }

  mutating func add(_ sample: SampledValue, _ body: (inout Result, FoldedQuantity) -> Void) {
    guard let conversion = conversions[sample.unit], let place = places[sample.provenance] else { return }
    let value = conversion?.convert(sample.value) ?? sample.value
    let (start, end) = (Double(sample.start) / 1e6, Double(sample.end) / 1e6)
    body(&result, FoldedQuantity(start: start, end: end, source: sources[place], value: value))
  }
}
