import Foundation

/// Multiplication in decimal: 0.57 times 100 is 57, not 56.99999999999999.
package enum DecimalProduct {
  package static func of(_ value: Double, by factor: Double) -> Double {
    guard factor != 1, let decimal = Decimal(string: "\(value)"), let by = Decimal(string: "\(factor)") else {
      return value * factor
    }
    return Double("\(decimal * by)") ?? value * factor
  }
}
