import Foundation
import HealthFormats
import HealthStorage

extension MetadataValue {
  /// Returns the order of two values, or nil if their types differ. All numeric types count as the same type,
  /// and true is 1.
  func order(to other: MetadataValue) -> ComparisonResult? {
    switch (self, other) {
    case (.string(let one), .string(let other)):
      return one.order(to: other)
    case (.date(let one), .date(let other)):
      return one.order(to: other)
    case (.quantity(let value, let unit), .quantity(let otherValue, let otherUnit)):
      return WrittenQuantity(value, unit).order(to: WrittenQuantity(otherValue, otherUnit))
    default:
      guard let one = number, let other = other.number else { return nil }
      return one.order(to: other)
    }
  }

  private var number: MetadataNumber? {
    switch self {
    case .boolean(let flag): .whole(flag ? 1 : 0)
    case .integer(let number): .whole(Int128(number))
    case .unsigned(let number): .whole(Int128(number))
    case .double(let number): .real(number)
    case .string, .date, .quantity: nil
    }
  }

  /// A canonical form that is the same for all values that `order(to:)` treats as equal; nil for a quantity.
  var canonical: MetadataValue? {
    switch self {
    case .quantity: nil
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .double(let number):
      Int64(exactly: number).map(MetadataValue.integer) ?? UInt64(exactly: number).map(MetadataValue.unsigned)
        ?? self
    // Adding 0 turns -0 into 0.
    case .date(let seconds): .date(seconds + 0)
    case .string, .integer, .unsigned: self
    }
  }
}

/// A number in metadata, compared exactly: an `Int64` is never rounded to a `Double`.
private enum MetadataNumber {
  case whole(Int128)
  case real(Double)

  func order(to other: MetadataNumber) -> ComparisonResult? {
    switch (self, other) {
    case (.whole(let one), .whole(let other)): one.order(to: other)
    case (.real(let one), .real(let other)): one.isNaN || other.isNaN ? nil : one.order(to: other)
    case (.whole(let one), .real(let other)): Self.order(one, other)
    case (.real(let one), .whole(let other)): Self.order(other, one)?.reversed
    }
  }

  private static func order(_ whole: Int128, _ real: Double) -> ComparisonResult? {
    guard !real.isNaN else { return nil }
    // A `Double` outside this range is greater or less than every Int64 and UInt64.
    guard abs(real) < 0x1p65 else { return real > 0 ? .orderedAscending : .orderedDescending }
    let floor = real.rounded(.down)
    let order = whole.order(to: Int128(floor))
    return order == .orderedSame && real > floor ? .orderedAscending : order
  }
}

extension ComparisonResult {
  fileprivate var reversed: ComparisonResult {
    switch self {
    case .orderedAscending: .orderedDescending
    case .orderedSame: .orderedSame
    case .orderedDescending: .orderedAscending
    }
  }
}
