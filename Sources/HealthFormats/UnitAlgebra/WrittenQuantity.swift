public import Foundation

/// A number in a unit that is written as a string: what a store keeps of a quantity.
public struct WrittenQuantity: Hashable, Sendable {
  public let value: Double
  public let unit: String

  public init(_ value: Double, _ unit: String) {
    self.value = value
    self.unit = unit
  }

  /// In one unit the numbers are compared, in two the sizes. nil where nothing compares: units of two
  /// dimensions, strings that are no units, what is no number.
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
