extension HKUnit {
  public func unitMultiplied(by unit: HKUnit) -> HKUnit {
    UnitRegistry.unit(form.factors.multiplied(by: unit.form.factors, power: 1))
  }

  public func unitDivided(by unit: HKUnit) -> HKUnit {
    UnitRegistry.unit(form.factors.multiplied(by: unit.form.factors, power: -1))
  }

  /// Power 0 is the null unit, power 1 the unit itself.
  public func unitRaised(toPower power: Int) -> HKUnit {
    UnitRegistry.unit([].multiplied(by: form.factors, power: power))
  }

  public func reciprocal() -> HKUnit { unitRaised(toPower: -1) }
}
