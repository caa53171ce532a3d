/// What the table says about one category type.
struct CategoryTypeTraits: Sendable {
  /// A row of the table.
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

  /// The name of the enumeration whose raw values the samples may have.
  let enumeration: String
  let values: Set<Int>
  /// Whether a program may save samples of the type; the system makes the others.
  let isShareable: Bool
  /// Whether a sample may end in the distant future, as a pregnancy does that goes on.
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
