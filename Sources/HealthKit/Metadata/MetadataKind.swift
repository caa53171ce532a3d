import HealthStorage

/// What a predefined metadata key requires of its value.
enum MetadataKind: Sendable {
  case string
  case number
  case date
  /// In a unit compatible with this one; nil for any.
  case quantity(String?)

  /// Keys that are not predefined take any value.
  static func check(_ value: MetadataValue, forKey key: String) throws(HKValidationError) {
    guard let kind = ofKey[key], !kind.admits(value) else { return }
    throw HKValidationError("metadata value for \(key) is not a \(kind)")
  }

  private func admits(_ value: MetadataValue) -> Bool {
    switch (self, value) {
    case (.string, .string), (.date, .date): true
    case (.number, .boolean), (.number, .integer), (.number, .unsigned), (.number, .double): true
    case (.quantity(let required), .quantity(_, let symbol)): Self.fits(symbol, required)
    default: false
    }
  }

  private static func fits(_ symbol: String, _ required: String?) -> Bool {
    guard let required else { return true }
    guard let unit = try? HKUnit.validated(from: symbol) else { return false }
    return HKUnit(from: required).isCompatible(with: unit)
  }
}
