public import Foundation

/// The type of samples that have a quantity.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
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

  /// Returns whether samples of the type can have the given unit.
  public func `is`(compatibleWith unit: HKUnit) -> Bool { traits.canonicalUnit.isCompatible(with: unit) }

  /// The unit in which the type is defined. Samples keep the unit they were created with.
  package var canonicalUnit: HKUnit { traits.canonicalUnit }

  override var durations: ClosedRange<TimeInterval> { (traits.minimumDuration ?? 0)...TimeInterval.infinity }
  override var requiredMetadataKey: String? { traits.requiredMetadataKey }
  package override var isShareable: Bool { traits.isShareable }
}

extension HKInitializable where Self: HKQuantityType {
  /// Creates the type with an identifier.
  ///
  /// Traps if the identifier is unknown; `quantityType(forIdentifier:)` returns nil instead.
  public init(_ identifier: HKQuantityTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKQuantityType.self))
  }
}

/// The properties of a quantity type, from the table in `QuantityTypeTraits+rows.swift`.
struct QuantityTypeTraits: Sendable {
  /// A row of the table in `QuantityTypeTraits+rows.swift`.
  struct Row: Sendable {
    let identifier: HKQuantityTypeIdentifier
    let unit: String
    let style: HKQuantityAggregationStyle
    let isShareable: Bool
    let minimumDuration: Double?

    init(
      _ identifier: HKQuantityTypeIdentifier, _ unit: String, _ style: HKQuantityAggregationStyle,
      isShareable: Bool = true, minimumDuration: Double? = nil
    ) {
      self.identifier = identifier
      self.unit = unit
      self.style = style
      self.isShareable = isShareable
      self.minimumDuration = minimumDuration
    }
  }

  let canonicalUnit: HKUnit
  let aggregationStyle: HKQuantityAggregationStyle
  /// Whether programs may save samples of the type. Types that Apple computes are read-only.
  let isShareable: Bool
  /// The minimum duration of a sample, in seconds.
  let minimumDuration: Double?

  let requiredMetadataKey: String?

  init(_ row: Row) {
    canonicalUnit = HKUnit(from: row.unit)
    aggregationStyle = row.style
    isShareable = row.isShareable
    requiredMetadataKey = RequiredMetadata.key(of: row.identifier.rawValue)
    minimumDuration = row.minimumDuration
  }
}
