import HealthStorage

/// The kind of value that a predefined metadata key requires.
package enum MetadataKind: Sendable {
  case string
  case number
  /// A Boolean as a number, such as `NSNumber(value: true)`.
  case boolean
  /// The raw value, as a number, of the enumeration with this name. The number does not have to be a known
  /// case, because a later version of Apple's framework may add cases.
  case enumeration(String)
  case date
  /// A quantity in a unit compatible with the given unit.
  case quantity(String)
  /// A quantity in a unit that fits the type of the sample.
  case quantityOfSample

  /// Returns the kind of value that a key requires, or nil if the key is not predefined.
  package static func of(key: String) -> MetadataKind? { ofKey[key] }

  /// Checks that a value has the kind that its key requires. A key that is not predefined accepts any value.
  static func check(_ value: MetadataValue, forKey key: String) throws(HKValidationError) {
    guard let kind = ofKey[key], !kind.admits(value) else { return }
    throw HKValidationError("metadata value for \(key) is not \(kind.requirement)")
  }

  private func admits(_ value: MetadataValue) -> Bool {
    switch (self, value) {
    case (.string, .string), (.date, .date), (.quantityOfSample, .quantity): true
    case (.number, _), (.boolean, _), (.enumeration, _): value.isNumber
    case (.quantity(let required), .quantity(_, let symbol)): Self.fits(symbol, required)
    default: false
    }
  }

  private var requirement: String {
    switch self {
    case .string: "a String"
    case .number, .boolean: "an NSNumber"
    case .enumeration(let name): "the raw value of an \(name) as NSNumber"
    case .date: "a Date"
    case .quantity(let unit): "an HKQuantity in a unit compatible with \(unit)"
    case .quantityOfSample: "an HKQuantity in a unit that fits the sample"
    }
  }

  static func fits(_ symbol: String, _ required: String) -> Bool {
    guard let unit = try? HKUnit.validated(from: symbol) else { return false }
    return HKUnit(from: required).isCompatible(with: unit)
  }
}

extension MetadataValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .boolean, .integer, .unsigned, .double: true
    case .string, .date, .quantity: false
    }
  }
}

/// The metadata keys that samples of certain types must have.
enum RequiredMetadata {
  /// Returns the metadata key that every sample of a type must have, or nil if there is no such key.
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
