import Foundation
import HealthStorage

extension MetadataValue {
  /// - Throws: for a value that is no String, number, Date or HKQuantity, or whose number is not finite.
  init(_ object: Any, forKey key: String) throws(HKValidationError) {
    switch object {
    case let text as String:
      self = .string(text)
    case let date as Date:
      guard date.timeIntervalSinceReferenceDate.isFinite else { throw Self.notFinite(key) }
      self = .date(date.timeIntervalSinceReferenceDate)
    case let quantity as HKQuantity:
      guard quantity.value.isFinite else { throw Self.notFinite(key) }
      self = .quantity(value: quantity.value, unit: quantity.unit.unitString)
    case let number as CGFloat:
      // The one number that Linux does not bridge.
      self = try MetadataValue(NSNumber(value: Double(number)), forKey: key)
    case let number as NSNumber:
      // Swift's own numbers and Bool arrive here too: on Linux `as` bridges them.
      self = try MetadataValue(number, forKey: key)
    default:
      throw HKValidationError(
        "metadata value for \(key) is a \(type(of: object)); allowed are String, NSNumber, Date and HKQuantity"
      )
    }
  }

  private init(_ number: NSNumber, forKey key: String) throws(HKValidationError) {
    switch String(cString: number.objCType) {
    case "c":
      self = .boolean(number.boolValue)
    case "d", "f":
      guard number.doubleValue.isFinite else { throw Self.notFinite(key) }
      self = .double(number.doubleValue)
    case "Q" where number.uint64Value > UInt64(Int64.max):
      self = .unsigned(number.uint64Value)
    default:
      self = .integer(number.int64Value)
    }
  }

  private static func notFinite(_ key: String) -> HKValidationError {
    HKValidationError("metadata value for \(key) is not finite")
  }

  var object: Any {
    switch self {
    case .string(let text): text
    case .boolean(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .unsigned(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .quantity(let value, let unit): Self.quantity(value, unit)
    }
  }

  /// A unit string that this version cannot read (a newer one wrote it) leaves the number without a unit.
  private static func quantity(_ value: Double, _ symbol: String) -> Any {
    guard let unit = try? HKUnit.validated(from: symbol) else { return NSNumber(value: value) }
    return HKQuantity(unit: unit, doubleValue: value)
  }
}
