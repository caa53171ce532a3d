/// What the table says about one quantity type.
struct QuantityTypeTraits: Sendable {
  /// A row of the table.
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
  /// Whether a program may save samples of the type; Apple computes the others.
  let isShareable: Bool
  /// In seconds.
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
