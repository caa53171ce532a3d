import HealthStorage

/// What a type requires of the metadata of its samples.
enum RequiredMetadata {
  /// The keys without which a sample of a type cannot be made.
  private static let keys: [String: String] = [
    HKCategoryTypeIdentifier.menstrualFlow.rawValue: HKMetadataKeyMenstrualCycleStart,
    HKQuantityTypeIdentifier.insulinDelivery.rawValue: HKMetadataKeyInsulinDeliveryReason,
  ]

  static func check(_ metadata: ObjectMetadata?, of type: HKSampleType) throws(HKValidationError) {
    if let key = keys[type.identifier], metadata?.encoded.values[key] == nil {
      throw HKValidationError("a sample of \(type) requires the metadata \(key)")
    }
    guard case .quantity(_, let symbol)? = metadata?.encoded.values[HKMetadataKeySessionEstimate],
      let quantityType = type as? HKQuantityType
    else { return }
    guard MetadataKind.fits(symbol, quantityType.canonicalUnit.unitString) else {
      throw HKValidationError("metadata value for \(HKMetadataKeySessionEstimate) does not fit \(type)")
    }
  }
}
