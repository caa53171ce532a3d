public import Foundation
import HealthFormats

/// A value with its unit. Immutable.
///
/// Read in the unit that it was made with, the value comes back to the bit. Values that are not finite are
/// accepted, as by Apple's framework; the store refuses them.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKQuantity: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  package let unit: HKUnit
  package let value: Double

  public init(unit: HKUnit, doubleValue value: Double) {
    self.unit = unit
    self.value = value
  }

  public func `is`(compatibleWith unit: HKUnit) -> Bool { self.unit.isCompatible(with: unit) }

  /// The value in another unit. Traps if the units do not convert into each other;
  /// `validatedDoubleValue(for:)` throws.
  public func doubleValue(for unit: HKUnit) -> Double {
    requiring(try validatedDoubleValue(for: unit))
  }

  /// Compares the sizes, as `==` does; what is not a number is the same as anything. Traps if the units do
  /// not convert into each other; `validatedCompare(_:)` throws.
  public func compare(_ quantity: HKQuantity) -> ComparisonResult {
    requiring(try validatedCompare(quantity))
  }

  /// Equal if of the same size: 1 kg is 1000 g. What is compared is the size in grams, metres and seconds and
  /// their products, rounded to a `Double`, as `compare(_:)` does: a quantity and its own conversion may
  /// differ in the last bit.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKQuantity else { return false }
    return other === self || other.unit.isCompatible(with: unit) && other.size == size
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(unit.form.dimensionality)
    hasher.combine(size)
    return hasher.finalize()
  }

  fileprivate var size: Double { unit.form.size(of: value) }

  open override var description: String { "\(value.shortest) \(unit)" }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(value, forKey: ArchiveKey.value)
    coder.encode(unit, forKey: ArchiveKey.unit)
  }

  public required init?(coder: NSCoder) {
    guard let unit = coder.object(HKUnit.self, forKey: ArchiveKey.unit),
      let value = coder.real(forKey: ArchiveKey.value)
    else { return nil }
    self.unit = unit
    self.value = value
  }

  private enum ArchiveKey {
    static let value = "ValueKey"
    static let unit = "UnitKey"
  }
}

extension HKQuantity {
  /// The value in another unit, or the reason why it has none there: for units that come from outside.
  public func validatedDoubleValue(for unit: HKUnit) throws(HKValidationError) -> Double {
    guard self.unit.isCompatible(with: unit) else {
      throw HKValidationError(
        .invalidArgument, "Attempt to convert incompatible units: \(self.unit), \(unit)")
    }
    return self.unit.convert(value, to: unit)
  }

  /// As `compare(_:)`, or the reason why the quantities cannot be compared.
  public func validatedCompare(_ quantity: HKQuantity) throws(HKValidationError) -> ComparisonResult {
    _ = try quantity.validatedDoubleValue(for: unit)
    let (mine, theirs) = (size, quantity.size)
    return mine < theirs ? .orderedAscending : mine > theirs ? .orderedDescending : .orderedSame
  }
}

extension Double {
  /// The shortest decimal that reads back as this number, without a trailing ".0".
  fileprivate var shortest: String {
    let text = "\(self)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
