import Foundation
import GRDB
import HealthFormats

/// An SQL function that compares two quantities: (value, unit, value, unit) → less than, equal to or greater
/// than 0; NULL if they are not comparable.
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
