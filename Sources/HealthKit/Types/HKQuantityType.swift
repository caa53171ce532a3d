/// The type of samples that hold one quantity.
public final class HKQuantityType: HKSampleType, @unchecked Sendable {
  // @unchecked: as for HKObjectType.
  private let traits: QuantityTypeTraits

  init(_ identifier: String, _ traits: QuantityTypeTraits) {
    self.traits = traits
    super.init(identifier: identifier)
  }

  /// Traps on an identifier that is not in the table; `quantityType(forIdentifier:)` answers nil instead.
  public convenience init(_ identifier: HKQuantityTypeIdentifier) {
    guard let traits = QuantityTypeTraits.table[identifier.rawValue] else {
      preconditionFailure("no quantity type \(identifier.rawValue)")
    }
    self.init(identifier.rawValue, traits)
  }

  public var aggregationStyle: HKQuantityAggregationStyle { traits.aggregationStyle }
  public func `is`(compatibleWith unit: HKUnit) -> Bool { traits.canonicalUnit.isCompatible(with: unit) }

  /// The unit in which the type is defined; samples keep the unit that they were made with.
  package var canonicalUnit: HKUnit { traits.canonicalUnit }
}
