public import Foundation

/// A value with its unit. Immutable.
///
/// Read in the unit that it was made with, the value comes back to the bit.
public final class HKQuantity: NSObject, Sendable {
  package let unit: HKUnit
  let value: Double

  public init(unit: HKUnit, doubleValue value: Double) {
    self.unit = unit
    self.value = value
  }

  public func `is`(compatibleWith unit: HKUnit) -> Bool { self.unit.isCompatible(with: unit) }

  /// The value in another unit. Traps if the units do not convert into each other; ask `is(compatibleWith:)` first
  /// where the unit comes from outside.
  public func doubleValue(for unit: HKUnit) -> Double {
    precondition(
      self.unit.isCompatible(with: unit), "Attempt to convert incompatible units: \(self.unit), \(unit)")
    return self.unit.convert(value, to: unit)
  }

  /// Traps if the units do not convert into each other.
  public func compare(_ quantity: HKQuantity) -> ComparisonResult {
    let other = quantity.doubleValue(for: unit)
    return value < other ? .orderedAscending : value > other ? .orderedDescending : .orderedSame
  }

  /// Equal values in equal units; 1 kg and 1000 g compare as the same but are not equal.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKQuantity else { return false }
    return value == other.value && unit == other.unit
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(unit)
    hasher.combine(value)
    return hasher.finalize()
  }

  public override var description: String { "\(value.shortest) \(unit)" }
}
