import HealthStorage

/// What a predefined metadata key requires of its value.
package enum MetadataKind: Sendable {
  case string
  case number
  /// A number, as `NSNumber(value: true)` is.
  case boolean
  /// A number: the raw value of the enumeration of this name. Which numbers it has is not checked: a later
  /// version of Apple's framework may know more.
  case enumeration(String)
  case date
  /// In a unit compatible with this one.
  case quantity(String)
  /// In a unit that fits the sample's type.
  case quantityOfSample

  /// nil for a key that is not predefined.
  package static func of(key: String) -> MetadataKind? { ofKey[key] }

  /// Keys that are not predefined take any value.
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
