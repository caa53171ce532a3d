import Foundation
package import HealthKit

/// A metadata value in JSON: a string, a number, a boolean, or an object with the value and unit of a
/// quantity. Dates are strings.
package enum MetadataValue: Encodable, Sendable {
  case text(String)
  case boolean(Bool)
  case integer(Int64)
  case natural(UInt64)
  case number(Double)
  case quantity(HKQuantity)

  /// Creates a value. Returns `nil` for a type that HealthKit does not allow in metadata.
  package init?(_ value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let date as Date: self = .text(Timestamp.text(date))
    case let quantity as HKQuantity: self = .quantity(quantity)
    case let number as NSNumber:
      switch UInt8(bitPattern: number.objCType.pointee) {
      case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .boolean(number.boolValue)
      case UInt8(ascii: "f"), UInt8(ascii: "d"): self = .number(number.doubleValue)
      case UInt8(ascii: "Q"): self = .natural(number.uint64Value)
      default: self = .integer(number.int64Value)
      }
    default: return nil
    }
  }

  private struct Quantity: Encodable {
    var value: Double
    var unit: String
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .boolean(let boolean): try container.encode(boolean)
    case .integer(let integer): try container.encode(integer)
    case .natural(let natural): try container.encode(natural)
    case .number(let number): try container.encode(number)
    case .quantity(let quantity):
      try container.encode(
        Quantity(value: quantity.doubleValue(for: quantity.unit), unit: quantity.unit.unitString))
    }
  }
}

/// Names of enumeration cases, as in HealthKit's Swift API.
package enum CaseName {
  /// Returns the name of a value, such as `asleepCore` for 3 in `HKCategoryValueSleepAnalysis`.
  ///
  /// - Returns: `nil` for a value that this version does not know.
  package static func text(_ value: Int, in enumeration: String) -> String? {
    guard let constant = EnumerationValues.constant(for: value, of: enumeration) else { return nil }
    let name = constant.dropFirst(enumeration.count)
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}

/// Multiplication without binary rounding errors: 0.57 times 100 is 57, not 56.99999999999999.
package enum DecimalProduct {
  package static func of(_ value: Double, by factor: Double) -> Double {
    guard factor != 1, let decimal = Decimal(string: "\(value)"), let by = Decimal(string: "\(factor)") else {
      return value * factor
    }
    return Double("\(decimal * by)") ?? value * factor
  }
}
