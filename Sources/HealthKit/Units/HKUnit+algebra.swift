import HealthFormats

/// Traps where the product has more factors or greater powers (32, 999) than a unit string can say.
extension HKUnit {
  private static func product(_ factors: [UnitFactor], _ others: [UnitFactor], power: Int) -> HKUnit {
    do {
      return registry.unit(try factors.product(with: others, power: power))
    } catch {
      HKValidationError(error).raise()
    }
  }

  public func unitMultiplied(by unit: HKUnit) -> HKUnit {
    Self.product(form.factors, unit.form.factors, power: 1)
  }

  public func unitDivided(by unit: HKUnit) -> HKUnit {
    Self.product(form.factors, unit.form.factors, power: -1)
  }

  /// Power 0 is the null unit, power 1 the unit itself.
  public func unitRaised(toPower power: Int) -> HKUnit {
    Self.product([], form.factors, power: power)
  }

  public func reciprocal() -> HKUnit { unitRaised(toPower: -1) }
}
