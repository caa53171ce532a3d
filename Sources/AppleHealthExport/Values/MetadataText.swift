import Foundation
import HealthKit
import HealthStorage

/// Converts metadata values to and from the text in an export. The key determines the type of a value; values
/// of custom keys are always text.
enum MetadataText {
  /// Parses a value.
  /// - Returns: `nil` if the key is predefined and the text is not valid for it.
  static func value(_ text: String, forKey key: String) -> MetadataValue? {
    switch MetadataKind.of(key: key) {
    case nil, .string: .string(text)
    case .boolean: text == "0" ? .boolean(false) : text == "1" ? .boolean(true) : number(text)
    case .number: number(text)
    case .enumeration:
      number(text) ?? EnumerationValues.value(ofConstant: text).map { MetadataValue.integer(Int64($0)) }
    case .date:
      ExportTime.parse(text).map { MetadataValue.date(Microseconds.date($0).timeIntervalSinceReferenceDate) }
    case .quantity, .quantityOfSample:
      QuantityText.parse(text).map {
        .quantity(value: $0.doubleValue(for: $0.unit), unit: $0.unit.unitString)
      }
    }
  }

  private static func number(_ text: String) -> MetadataValue? {
    if let whole = Int64(text) { return .integer(whole) }
    if let whole = UInt64(text) { return .unsigned(whole) }
    return NumberText.parse(text).map { MetadataValue.double($0) }
  }

  static func text(_ value: MetadataValue, zone: Int) -> String {
    switch value {
    case .string(let text): text
    case .boolean(let flag): flag ? "1" : "0"
    case .integer(let number): String(number)
    case .unsigned(let number): String(number)
    case .double(let number): NumberText.text(number)
    case .date(let seconds):
      ExportTime.text(
        Microseconds.clamped(Date(timeIntervalSinceReferenceDate: seconds)), zone: zone)
    case .quantity(let value, let unit): "\(NumberText.text(value)) \(unit)"
    }
  }
}
