public import Foundation
import HealthFormats

/// A unit of measure: a product of powers of symbols. Immutable; equal if the symbols and powers are.
///
/// A unit is made from a factory (`HKUnit.count()`), by the algebra (`unitDivided(by:)`) or from a string
/// such as `"count/min"`, whose grammar `UnitForm` of UnitAlgebra states.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKUnit: NSObject, HKArchivable, NSCopying, HKInitializable, @unchecked Sendable {
  let form: UnitForm

  init(_ form: UnitForm) {
    self.form = form
  }

  /// The normal form: factors joined by `·`, those with negative powers after a single `/`. Reads back as an
  /// equal unit.
  public var unitString: String { form.unitString }

  /// Whether the unit has no factors at all (`()`); a ratio such as dL/L has.
  public func isNull() -> Bool { form.factors.isEmpty }

  func isCompatible(with other: HKUnit) -> Bool {
    other === self || form.isCompatible(with: other.form)
  }

  /// How values of this unit become values of another, compatible unit.
  func conversion(to other: HKUnit) -> UnitConversion { form.conversion(to: other.form) }

  /// A value of this unit in another, compatible one. In an equal unit it stays as it is, to the bit.
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
  /// The unit that a string names, for strings that come from outside.
  public static func validated(from string: String) throws(HKValidationError) -> HKUnit {
    try parsed(string)
  }
}

extension HKInitializable where Self: HKUnit {
  /// The unit that a string names. Traps on a string that names none; `validated(from:)` throws instead.
  ///
  /// The same string gives the same object: it is parsed once.
  public init(from string: String) {
    self.init(instance: requiring(try HKUnit.parsed(string)))
  }
}
