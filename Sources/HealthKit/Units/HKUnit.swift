public import Foundation
import HealthFormats

/// A unit of measurement: a product of powers of symbols. Immutable. Units are equal if symbols and powers
/// are equal.
///
/// Create units with factory methods (`HKUnit.count()`), algebra (`unitDivided(by:)`) or strings such as
/// `"count/min"`. `UnitForm` documents the grammar.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKUnit: NSObject, HKArchivable, NSCopying, HKInitializable, @unchecked Sendable {
  let form: UnitForm

  init(_ form: UnitForm) {
    self.form = form
  }

  /// The unit as a string in normal form: factors joined by `·`, with negative powers after a single `/`.
  /// Parsing it results in an equal unit.
  public var unitString: String { form.unitString }

  /// Returns whether the unit has no factors at all (`()`). A ratio such as dL/L has factors.
  public func isNull() -> Bool { form.factors.isEmpty }

  func isCompatible(with other: HKUnit) -> Bool {
    other === self || form.isCompatible(with: other.form)
  }

  /// Returns the conversion of values of this unit into another, compatible unit.
  func conversion(to other: HKUnit) -> UnitConversion { form.conversion(to: other.form) }

  /// Converts a value in this unit to another, compatible unit. If the units are equal, the value is returned
  /// unchanged.
  func convert(_ value: Double, to other: HKUnit) -> Double {
    other == self ? value : form.convert(value, to: other.form)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKUnit else { return false }
    return other === self || other.form.factors == form.factors
  }

  open override var hash: Int { form.factors.hashValue }
  open override var description: String { unitString }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(unitString as NSString, forKey: ArchiveKey.unitString)
  }

  public required init?(coder: NSCoder) {
    guard let string = coder.text(forKey: ArchiveKey.unitString),
      let form = try? UnitForm(parsing: string)
    else { return nil }
    self.form = form
  }

  private enum ArchiveKey {
    static let unitString = "HKUnitStringKey"
  }
}

extension HKUnit {
  /// Returns the unit for a string that comes from outside the program.
  ///
  /// ```swift
  /// let unit = try HKUnit.validated(from: "count/min")
  /// ```
  /// - Throws: `HKValidationError` if the string is not a valid unit.
  public static func validated(from string: String) throws(HKValidationError) -> HKUnit {
    try parsed(string)
  }
}

extension HKInitializable where Self: HKUnit {
  /// Creates the unit for a string. Traps if the string is not a valid unit; `validated(from:)` throws
  /// instead.
  ///
  /// The same string returns the same object, because it is parsed only once.
  public init(from string: String) {
    self.init(instance: requiring(try HKUnit.parsed(string)))
  }
}

// The following functions trap if the product has more factors (32) or higher powers (999) than a unit string
// allows.
extension HKUnit {
  private static func product(_ factors: [UnitFactor], _ others: [UnitFactor], power: Int) -> HKUnit {
    do {
      return registry.unit(try factors.product(with: others, power: power))
    } catch {
      HKValidationError(error).raise()
    }
  }

  /// Returns the product of two units.
  public func unitMultiplied(by unit: HKUnit) -> HKUnit {
    Self.product(form.factors, unit.form.factors, power: 1)
  }

  /// Returns the quotient of two units.
  public func unitDivided(by unit: HKUnit) -> HKUnit {
    Self.product(form.factors, unit.form.factors, power: -1)
  }

  /// Returns the unit raised to a power. Power 0 returns the null unit, and power 1 the unit itself.
  public func unitRaised(toPower power: Int) -> HKUnit {
    Self.product([], form.factors, power: power)
  }

  /// Returns the unit raised to the power −1.
  public func reciprocal() -> HKUnit { unitRaised(toPower: -1) }
}

extension HKUnit {
  /// A cache of units. The same string always has the same object, and equal units usually do.
  static let registry = UnitRegistry { HKUnit($0) }

  static func parsed(_ string: String) throws(HKValidationError) -> HKUnit {
    do {
      return try registry.unit(parsing: string)
    } catch {
      throw HKValidationError(error)
    }
  }
}

extension HKValidationError {
  init(_ error: UnitError) {
    self.init(.invalidArgument, error.description)
  }
}
