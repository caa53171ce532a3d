public import Foundation

/// The type of samples that hold one quantity.
// @unchecked: as for HKObjectType.
public final class HKQuantityType: HKSampleType, @unchecked Sendable {
  let traits: QuantityTypeTraits

  init(identifier: String, traits: QuantityTypeTraits) {
    self.traits = traits
    super.init(identifier: identifier)
  }

  public required init?(coder: NSCoder) {
    guard let identifier = Self.identifier(from: coder),
      let known = ObjectTypes.type(identifier) as? HKQuantityType
    else { return nil }
    traits = known.traits
    super.init(identifier: identifier)
  }

  public var aggregationStyle: HKQuantityAggregationStyle { traits.aggregationStyle }

  /// Whether samples of the type can be given in a unit.
  public func `is`(compatibleWith unit: HKUnit) -> Bool { traits.canonicalUnit.isCompatible(with: unit) }

  /// The unit in which the type is defined; samples keep the unit that they were made with.
  package var canonicalUnit: HKUnit { traits.canonicalUnit }

  override var durations: ClosedRange<TimeInterval> { (traits.minimumDuration ?? 0)...TimeInterval.infinity }
  override var requiredMetadataKey: String? { traits.requiredMetadataKey }
  package override var isShareable: Bool { traits.isShareable }
}

extension HKInitializable where Self: HKQuantityType {
  /// Traps on an identifier that is not in the table; `quantityType(forIdentifier:)` answers nil instead.
  public init(_ identifier: HKQuantityTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKQuantityType.self))
  }
}
