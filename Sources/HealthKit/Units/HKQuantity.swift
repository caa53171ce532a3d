public import Foundation
import HealthFormats

/// A value with a unit. Immutable.
///
/// Reading the value in its original unit returns exactly the same bits. Values that are not finite are
/// accepted, as in Apple's framework, but cannot be saved in a store.
///
/// ```swift
/// let mass = HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 70)
/// let grams = mass.doubleValue(for: .gram())  // 70000
/// ```
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKQuantity: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  package let unit: HKUnit
  package let value: Double

  public init(unit: HKUnit, doubleValue value: Double) {
    self.unit = unit
    self.value = value
  }

  /// Returns whether the quantity can be converted to a unit.
  public func `is`(compatibleWith unit: HKUnit) -> Bool { self.unit.isCompatible(with: unit) }

  /// Returns the value in another unit. Traps if the units are incompatible; `validatedDoubleValue(for:)`
  /// throws instead.
  public func doubleValue(for unit: HKUnit) -> Double {
    requiring(try validatedDoubleValue(for: unit))
  }

  /// Compares the magnitudes of two quantities, like `==`. NaN compares as equal to everything. Traps if the
  /// units are incompatible; `validatedCompare(_:)` throws instead.
  public func compare(_ quantity: HKQuantity) -> ComparisonResult {
    requiring(try validatedCompare(quantity))
  }

  /// Quantities are equal if their magnitudes are equal: 1 kg equals 1000 g.
  ///
  /// The magnitude is the value in grams, meters, seconds and their products, rounded to a `Double`, as in
  /// `compare(_:)`. A quantity and its conversion to another unit may therefore differ in the last bit.
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
  /// Returns the value in another unit. Use it for units from outside the program, such as from a file.
  ///
  /// ```swift
  /// let unit = try HKUnit.validated(from: "mg/dL")
  /// let glucose = try quantity.validatedDoubleValue(for: unit)
  /// ```
  ///
  /// - Throws: `HKValidationError` if the units are incompatible.
  public func validatedDoubleValue(for unit: HKUnit) throws(HKValidationError) -> Double {
    guard self.unit.isCompatible(with: unit) else {
      throw HKValidationError(
        .invalidArgument, "Attempt to convert incompatible units: \(self.unit), \(unit)")
    }
    return self.unit.convert(value, to: unit)
  }

  /// Compares two quantities like `compare(_:)`.
  ///
  /// ```swift
  /// let isAbove = try quantity.validatedCompare(limit) == .orderedDescending
  /// ```
  ///
  /// - Throws: `HKValidationError` if the units are incompatible.
  public func validatedCompare(_ quantity: HKQuantity) throws(HKValidationError) -> ComparisonResult {
    _ = try quantity.validatedDoubleValue(for: unit)
    let (mine, theirs) = (size, quantity.size)
    return mine < theirs ? .orderedAscending : mine > theirs ? .orderedDescending : .orderedSame
  }
}

extension Double {
  /// The shortest decimal representation that converts back to this number, without a trailing ".0".
  fileprivate var shortest: String {
    let text = "\(self)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

// Checks of quantities that are part of other objects.
extension HKQuantity {
  /// Checks that the quantity is compatible with a unit.
  /// - Parameter name: The name of the quantity for the error message.
  func check(_ name: String, in unit: HKUnit) throws(HKValidationError) {
    guard self.is(compatibleWith: unit) else {
      throw HKValidationError(
        .invalidArgument, "\(name) requires a unit compatible with \(unit). Incompatible unit: \(self.unit)")
    }
  }

  /// Checks that the quantity is compatible with a unit and finite.
  func checkFinite(_ name: String, in unit: HKUnit) throws(HKValidationError) {
    try check(name, in: unit)
    guard value.isFinite else { throw HKValidationError(.invalidArgument, "\(name) must be finite") }
  }

  /// Checks that the quantity is compatible with a unit, finite and not negative.
  func checkNotNegative(_ name: String, in unit: HKUnit) throws(HKValidationError) {
    try checkFinite(name, in: unit)
    guard value >= 0 else { throw HKValidationError(.invalidArgument, "\(name) must not be negative") }
  }
}
