/// A metadata value. Kinds of numbers are distinct: true, 1 and 1.0 are three values.
package enum MetadataValue: Hashable, Codable, Sendable {
  case string(String)
  case boolean(Bool)
  case integer(Int64)
  /// Only for numbers above `Int64.max`, so that each number has one form.
  case unsigned(UInt64)
  case double(Double)
  /// Seconds since 2001-01-01 00:00 UTC, unrounded.
  case date(Double)
  case quantity(value: Double, unit: String)
}
