public import Foundation

/// A number and a unit string: the form in which a quantity is stored.
public struct WrittenQuantity: Hashable, Sendable {
  public let value: Double
  /// The unit string.
  public let unit: String

  public init(_ value: Double, _ unit: String) {
    self.value = value
    self.unit = unit
  }

  /// Compares two quantities: directly if they have the same unit, and by size in base units otherwise.
  /// Returns nil for NaN, an invalid unit or incompatible units.
  public func order(to other: WrittenQuantity) -> ComparisonResult? {
    guard !value.isNaN, !other.value.isNaN else { return nil }
    guard unit != other.unit else { return Self.order(value, other.value) }
    guard let form = try? Self.forms.unit(parsing: unit),
      let otherForm = try? Self.forms.unit(parsing: other.unit),
      form.isCompatible(with: otherForm)
    else { return nil }
    return Self.order(form.size(of: value), otherForm.size(of: other.value))
  }

  private static let forms = UnitRegistry<UnitForm> { $0 }

  private static func order(_ one: Double, _ other: Double) -> ComparisonResult {
    one < other ? .orderedAscending : one > other ? .orderedDescending : .orderedSame
  }
}
