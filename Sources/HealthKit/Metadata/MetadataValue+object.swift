import Foundation
import HealthStorage

extension MetadataValue {
  /// Creates a value from an object in a metadata dictionary.
  /// - Throws: `HKValidationError` if the object is not a String, number, Date or HKQuantity, or if a number
  ///   is not finite.
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
      // CGFloat is the only number type that Linux does not bridge to NSNumber.
      self = try MetadataValue(NSNumber(value: Double(number)), forKey: key)
    case let number as NSNumber:
      // Swift's number types and Bool match this case too, because `as` bridges them on Linux.
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

  /// The value as String, NSNumber, Date or HKQuantity.
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

  /// Returns a quantity, or the plain number if this version does not know the unit, which a newer version
  /// may have written.
  private static func quantity(_ value: Double, _ symbol: String) -> Any {
    guard let unit = try? HKUnit.validated(from: symbol) else { return NSNumber(value: value) }
    return HKQuantity(unit: unit, doubleValue: value)
  }
}
