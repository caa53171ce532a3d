import Foundation
import GRDB
import HealthFormats

/// The order of two quantities as a function of SQL: (value, unit, value, unit) to less than, equal to or
/// greater than 0, or NULL where they do not compare.
enum QuantityOrderFunction {
  static let name = "hrgate_quantity_order"

  static var function: DatabaseFunction {
    DatabaseFunction(name, argumentCount: 4, pure: true) { arguments in
      guard let one = quantity(arguments[0], arguments[1]), let other = quantity(arguments[2], arguments[3])
      else { return nil }
      return one.order(to: other)?.rawValue
    }
  }

  private static func quantity(_ value: DatabaseValue, _ unit: DatabaseValue) -> WrittenQuantity? {
    guard let value = Double.fromDatabaseValue(value), let unit = String.fromDatabaseValue(unit) else {
      return nil
    }
    return WrittenQuantity(value, unit)
  }
}
