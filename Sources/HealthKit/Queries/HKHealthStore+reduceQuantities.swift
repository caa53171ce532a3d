package import Foundation
import HealthFormats
import HealthStorage

/// A quantity of a sample or series, as passed to the closure of `reduceQuantities`.
package struct FoldedQuantity: Sendable {
  /// The start in seconds since 1970.
  package let start: TimeInterval
  /// The end in seconds since 1970; equal to `start` for an instant.
  package let end: TimeInterval
  package let source: HKSource
  /// The value in the requested unit.
  package let value: Double
}

extension HKHealthStore {
  /// Folds the quantities of the matching samples into a result, in chronological order. The quantities of a
  /// series are passed individually, as statistics count them. Quantities in a unit that this version does
  /// not know are skipped.
  ///
  /// The whole read uses one snapshot of the store and creates no sample objects.
  /// - Parameter unit: A unit that is compatible with the type.
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

/// The state of `reduceQuantities`: the result so far, and the conversions into the requested unit.
private struct QuantityFold<Result: Sendable>: Sendable {
  var result: Result
  /// The conversions of compatible units into the requested unit, by the row ID of the unit. The conversion
  /// of the requested unit itself is nil.
  private let conversions: [Int64: UnitConversion?]
  private let sources: [HKSource]
  /// The indices in `sources`, by the row ID of a sample's provenance (its source revision and device).
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
