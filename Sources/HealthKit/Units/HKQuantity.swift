public import Foundation

/// A value with its unit. Immutable.
///
/// Read in the unit that it was made with, the value comes back to the bit. Values that are not finite are accepted,
/// as by Apple's framework; the store refuses them.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKQuantity: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  package let unit: HKUnit
  let value: Double

  public init(unit: HKUnit, doubleValue value: Double) {
    self.unit = unit
    self.value = value
  }

  @available(*, unavailable)
  public override init() {
    unit = .count()
    value = 0
  }

  public func `is`(compatibleWith unit: HKUnit) -> Bool { self.unit.isCompatible(with: unit) }

  /// The value in another unit. Traps if the units do not convert into each other; `validatedDoubleValue(for:)` throws.
  public func doubleValue(for unit: HKUnit) -> Double {
    requiring { () throws(HKValidationError) in try validatedDoubleValue(for: unit) }
  }

  /// Compares the values in one unit. Traps if the units do not convert into each other; `validatedCompare(_:)` throws.
  public func compare(_ quantity: HKQuantity) -> ComparisonResult {
    requiring { () throws(HKValidationError) in try validatedCompare(quantity) }
  }

  /// Equal if of the same size: 1 kg is 1000 g. In one unit the values must be the same; in two, their sizes in grams,
  /// metres and seconds, as rounded to a `Double`.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKQuantity else { return false }
    if other === self { return true }
    if other.unit == unit { return other.value == value }
    return other.unit.isCompatible(with: unit) && other.size == size
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(unit.form.dimensionality)
    hasher.combine(size)
    return hasher.finalize()
  }

  private var size: Double { unit.form.size(of: value) }

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
      coder.containsValue(forKey: ArchiveKey.value)
    else { return nil }
    self.unit = unit
    value = coder.decodeDouble(forKey: ArchiveKey.value)
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
    let other = try quantity.validatedDoubleValue(for: unit)
    return value < other ? .orderedAscending : value > other ? .orderedDescending : .orderedSame
  }
}
