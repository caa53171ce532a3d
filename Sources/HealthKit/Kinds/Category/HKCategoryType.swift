public import Foundation

/// The type of samples that hold one value of an enumeration.
// @unchecked: as for HKObjectType.
public final class HKCategoryType: HKSampleType, @unchecked Sendable {
  let traits: CategoryTypeTraits
  /// The name of the enumeration whose raw values the samples have.
  package var valueEnumeration: String { traits.enumeration }

  init(identifier: String, traits: CategoryTypeTraits) {
    self.traits = traits
    super.init(identifier: identifier)
  }

  public required init?(coder: NSCoder) {
    guard let identifier = Self.identifier(from: coder),
      let known = ObjectTypes.type(identifier) as? HKCategoryType
    else { return nil }
    traits = known.traits
    super.init(identifier: identifier)
  }

  /// The name of the enumeration whose raw values the samples have.
  package var enumeration: String { traits.enumeration }

  package override var isOpenEnded: Bool { traits.isOpenEnded }
  override var requiredMetadataKey: String? { traits.requiredMetadataKey }
  package override var isShareable: Bool { traits.isShareable }
}

extension HKInitializable where Self: HKCategoryType {
  /// Traps on an identifier that is not in the table; `categoryType(forIdentifier:)` answers nil instead.
  public init(_ identifier: HKCategoryTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKCategoryType.self))
  }
}
