import Foundation
package import HealthKit

/// A value of a sample's metadata, as JSON has it: text, number, truth, or a quantity's value and unit. A
/// date is text.
package enum MetadataValue: Encodable, Sendable {
  case text(String)
  case truth(Bool)
  case integer(Int64)
  case natural(UInt64)
  case number(Double)
  case quantity(HKQuantity)

  /// Nil for what HealthKit's metadata do not hold.
  package init?(_ value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let date as Date: self = .text(SampleTime.text(date))
    case let quantity as HKQuantity: self = .quantity(quantity)
    case let number as NSNumber:
      switch UInt8(bitPattern: number.objCType.pointee) {
      case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .truth(number.boolValue)
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
    case .truth(let truth): try container.encode(truth)
    case .integer(let integer): try container.encode(integer)
    case .natural(let natural): try container.encode(natural)
    case .number(let number): try container.encode(number)
    case .quantity(let quantity):
      try container.encode(
        Quantity(value: quantity.doubleValue(for: quantity.unit), unit: quantity.unit.unitString))
    }
  }
}
