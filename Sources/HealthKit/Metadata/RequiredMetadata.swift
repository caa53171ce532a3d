import HealthStorage

/// What a type requires of the metadata of its samples.
enum RequiredMetadata {
  /// The key without which no sample of a type can be made.
  static func key(of type: String) -> String? {
    switch type {
    case HKCategoryTypeIdentifier.menstrualFlow.rawValue: HKMetadataKeyMenstrualCycleStart
    case HKQuantityTypeIdentifier.insulinDelivery.rawValue: HKMetadataKeyInsulinDeliveryReason
    default: nil
    }
  }

  static func check(_ metadata: ObjectMetadata?, of type: HKSampleType) throws(HKValidationError) {
    if let key = type.requiredMetadataKey, metadata?.encoded.values[key] == nil {
      throw HKValidationError("a sample of \(type) requires the metadata \(key)")
    }
    guard let symbol = metadata?.sessionEstimateUnit, let quantityType = type as? HKQuantityType else {
      return
    }
    guard MetadataKind.fits(symbol, quantityType.canonicalUnit.unitString) else {
      throw HKValidationError("metadata value for \(HKMetadataKeySessionEstimate) does not fit \(type)")
    }
  }
}
