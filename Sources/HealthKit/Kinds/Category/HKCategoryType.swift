public import Foundation

/// The type of samples whose value is a case of an enumeration.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKCategoryType: HKSampleType, @unchecked Sendable {
  let traits: CategoryTypeTraits
  /// The name of the enumeration that defines the raw values of the samples.
  package var enumeration: String { traits.enumeration }

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

  package override var isOpenEnded: Bool { traits.isOpenEnded }
  override var requiredMetadataKey: String? { traits.requiredMetadataKey }
  package override var isShareable: Bool { traits.isShareable }
}

extension HKInitializable where Self: HKCategoryType {
  /// Creates the type with an identifier.
  ///
  /// Traps if the identifier is unknown; `categoryType(forIdentifier:)` returns nil instead.
  public init(_ identifier: HKCategoryTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKCategoryType.self))
  }
}

/// The properties of a category type, from the table in `CategoryTypeTraits+rows.swift`.
struct CategoryTypeTraits: Sendable {
  /// A row of the table in `CategoryTypeTraits+rows.swift`.
  struct Row: Sendable {
    let identifier: HKCategoryTypeIdentifier
    let enumeration: String
    let isShareable: Bool
    let isOpenEnded: Bool

    init(
      _ identifier: HKCategoryTypeIdentifier, _ enumeration: String, isShareable: Bool = true,
      isOpenEnded: Bool = false
    ) {
      self.identifier = identifier
      self.enumeration = enumeration
      self.isShareable = isShareable
      self.isOpenEnded = isOpenEnded
    }
  }

  /// The name of the enumeration that defines the raw values of the samples.
  let enumeration: String
  let values: Set<Int>
  /// Whether programs may save samples of the type. Types that the system computes are read-only.
  let isShareable: Bool
  /// Whether a sample may end in the distant future, such as an ongoing pregnancy.
  let isOpenEnded: Bool

  let requiredMetadataKey: String?

  init(_ row: Row) {
    enumeration = row.enumeration
    values = EnumerationValues.table[row.enumeration] ?? []
    isShareable = row.isShareable
    requiredMetadataKey = RequiredMetadata.key(of: row.identifier.rawValue)
    isOpenEnded = row.isOpenEnded
  }
}
