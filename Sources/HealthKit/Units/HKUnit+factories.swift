// One line for each unit, in the order of Apple's header.

/// The molar mass of blood glucose in g/mol.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKUnitMolarMassBloodGlucose = 180.15588000005408

// MARK: - Mass

extension HKUnit {
  public class func gram() -> HKUnit { HKUnit("g") }
  public class func gramUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("g", prefix) }
  public class func ounce() -> HKUnit { HKUnit("oz") }
  public class func pound() -> HKUnit { HKUnit("lb") }
  public class func stone() -> HKUnit { HKUnit("st") }

  /// Moles of a substance, which are a mass. Traps on a molar mass that is not a positive number of g/mol.
  public class func moleUnit(with prefix: HKMetricPrefix, molarMass: Double) -> HKUnit {
    precondition(molarMass > 0 && molarMass.isFinite, "a molar mass must be a positive number")
    return HKUnit([UnitFactor(base: BaseUnit.mole, prefix: prefix, molarMass: molarMass)])
  }

  public class func moleUnit(withMolarMass molarMass: Double) -> HKUnit {
    moleUnit(with: .none, molarMass: molarMass)
  }
}

// MARK: - Length and volume

extension HKUnit {
  public class func meter() -> HKUnit { HKUnit("m") }
  public class func meterUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("m", prefix) }
  public class func inch() -> HKUnit { HKUnit("in") }
  public class func foot() -> HKUnit { HKUnit("ft") }
  public class func yard() -> HKUnit { HKUnit("yd") }
  public class func mile() -> HKUnit { HKUnit("mi") }
  public class func liter() -> HKUnit { HKUnit("L") }
  public class func literUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("L", prefix) }
  public class func fluidOunceUS() -> HKUnit { HKUnit("fl_oz_us") }
  public class func fluidOunceImperial() -> HKUnit { HKUnit("fl_oz_imp") }
  public class func pintUS() -> HKUnit { HKUnit("pt_us") }
  public class func pintImperial() -> HKUnit { HKUnit("pt_imp") }
  public class func cupUS() -> HKUnit { HKUnit("cup_us") }
  public class func cupImperial() -> HKUnit { HKUnit("cup_imp") }
}

// MARK: - Pressure and sound

extension HKUnit {
  public class func pascal() -> HKUnit { HKUnit("Pa") }
  public class func pascalUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("Pa", prefix) }
  public class func millimeterOfMercury() -> HKUnit { HKUnit("mmHg") }
  public class func centimeterOfWater() -> HKUnit { HKUnit("cmAq") }
  public class func atmosphere() -> HKUnit { HKUnit("atm") }
  public class func inchesOfMercury() -> HKUnit { HKUnit("inHg") }
  public class func decibelAWeightedSoundPressureLevel() -> HKUnit { HKUnit("dBASPL") }
  public class func decibelHearingLevel() -> HKUnit { HKUnit("dBHL") }
}

// MARK: - Time and frequency

extension HKUnit {
  public class func second() -> HKUnit { HKUnit("s") }
  public class func secondUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("s", prefix) }
  public class func minute() -> HKUnit { HKUnit("min") }
  public class func hour() -> HKUnit { HKUnit("hr") }
  public class func day() -> HKUnit { HKUnit("d") }
  public class func hertz() -> HKUnit { HKUnit("Hz") }
  public class func hertzUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("Hz", prefix) }
}

// MARK: - Energy and power

extension HKUnit {
  public class func joule() -> HKUnit { HKUnit("J") }
  public class func jouleUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("J", prefix) }
  public class func kilocalorie() -> HKUnit { HKUnit("kcal") }
  public class func smallCalorie() -> HKUnit { HKUnit("cal") }
  public class func largeCalorie() -> HKUnit { HKUnit("Cal") }
  @available(*, deprecated, renamed: "smallCalorie()")
  public class func calorie() -> HKUnit { HKUnit("cal") }
  public class func watt() -> HKUnit { HKUnit("W") }
  public class func wattUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("W", prefix) }
}

// MARK: - Temperature, electricity, light, angle

extension HKUnit {
  public class func degreeCelsius() -> HKUnit { HKUnit("degC") }
  public class func degreeFahrenheit() -> HKUnit { HKUnit("degF") }
  public class func kelvin() -> HKUnit { HKUnit("K") }
  public class func siemen() -> HKUnit { HKUnit("S") }
  public class func siemenUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("S", prefix) }
  public class func volt() -> HKUnit { HKUnit("V") }
  public class func voltUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("V", prefix) }
  public class func diopter() -> HKUnit { HKUnit("D") }
  public class func prismDiopter() -> HKUnit { HKUnit("pD") }
  public class func lux() -> HKUnit { HKUnit("lx") }
  public class func luxUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("lx", prefix) }
  public class func radianAngle() -> HKUnit { HKUnit("rad") }
  public class func radianAngleUnit(with prefix: HKMetricPrefix) -> HKUnit { HKUnit("rad", prefix) }
  public class func degreeAngle() -> HKUnit { HKUnit("deg") }
}

// MARK: - Scalars and scores

extension HKUnit {
  public class func count() -> HKUnit { HKUnit("count") }
  /// A ratio: 98 % is the value 0.98, and converts to `count` by a factor of 1.
  public class func percent() -> HKUnit { HKUnit("%") }
  public class func internationalUnit() -> HKUnit { HKUnit("IU") }
  public class func appleEffortScore() -> HKUnit { HKUnit("appleEffortScore") }
}
