import HealthFormats

// One line per unit, in the order of Apple's header.

/// The molar mass of blood glucose in g/mol.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKUnitMolarMassBloodGlucose = 180.15588000005408

extension HKUnit {
  private static func named(_ symbol: String, _ prefix: HKMetricPrefix = .none) -> HKUnit {
    registry.unit([UnitFactor(symbol, prefix.prefix)])
  }
}

// MARK: - Mass

extension HKUnit {
  public class func gram() -> HKUnit { named("g") }
  public class func gramUnit(with prefix: HKMetricPrefix) -> HKUnit { named("g", prefix) }
  public class func ounce() -> HKUnit { named("oz") }
  public class func pound() -> HKUnit { named("lb") }
  public class func stone() -> HKUnit { named("st") }

  /// Returns the unit of moles of a substance, which converts to units of mass by the molar mass.
  ///
  /// Traps if the molar mass is not a positive number (in g/mol); `moleUnit(with:validatingMolarMass:)`
  /// throws instead.
  public class func moleUnit(with prefix: HKMetricPrefix, molarMass: Double) -> HKUnit {
    requiring(try moleUnit(with: prefix, validatingMolarMass: molarMass))
  }

  /// Returns the unit of moles of a substance, after checking the molar mass. Use this if the molar mass
  /// comes from outside the program.
  /// - Throws: `HKValidationError` if the molar mass is not a positive number (in g/mol).
  public class func moleUnit(
    with prefix: HKMetricPrefix, validatingMolarMass molarMass: Double
  ) throws(HKValidationError) -> HKUnit {
    do {
      return registry.unit([try UnitFactor.mole(prefix.prefix, molarMass: molarMass)])
    } catch {
      throw HKValidationError(error)
    }
  }

  public class func moleUnit(withMolarMass molarMass: Double) -> HKUnit {
    moleUnit(with: .none, molarMass: molarMass)
  }
}

// MARK: - Length and volume

extension HKUnit {
  public class func meter() -> HKUnit { named("m") }
  public class func meterUnit(with prefix: HKMetricPrefix) -> HKUnit { named("m", prefix) }
  public class func inch() -> HKUnit { named("in") }
  public class func foot() -> HKUnit { named("ft") }
  public class func yard() -> HKUnit { named("yd") }
  public class func mile() -> HKUnit { named("mi") }
  public class func liter() -> HKUnit { named("L") }
  public class func literUnit(with prefix: HKMetricPrefix) -> HKUnit { named("L", prefix) }
  public class func fluidOunceUS() -> HKUnit { named("fl_oz_us") }
  public class func fluidOunceImperial() -> HKUnit { named("fl_oz_imp") }
  public class func pintUS() -> HKUnit { named("pt_us") }
  public class func pintImperial() -> HKUnit { named("pt_imp") }
  public class func cupUS() -> HKUnit { named("cup_us") }
  public class func cupImperial() -> HKUnit { named("cup_imp") }
}

// MARK: - Pressure and sound

extension HKUnit {
  public class func pascal() -> HKUnit { named("Pa") }
  public class func pascalUnit(with prefix: HKMetricPrefix) -> HKUnit { named("Pa", prefix) }
  public class func millimeterOfMercury() -> HKUnit { named("mmHg") }
  public class func centimeterOfWater() -> HKUnit { named("cmAq") }
  public class func atmosphere() -> HKUnit { named("atm") }
  public class func inchesOfMercury() -> HKUnit { named("inHg") }
  public class func decibelAWeightedSoundPressureLevel() -> HKUnit { named("dBASPL") }
  public class func decibelHearingLevel() -> HKUnit { named("dBHL") }
}

// MARK: - Time and frequency

extension HKUnit {
  public class func second() -> HKUnit { named("s") }
  public class func secondUnit(with prefix: HKMetricPrefix) -> HKUnit { named("s", prefix) }
  public class func minute() -> HKUnit { named("min") }
  public class func hour() -> HKUnit { named("hr") }
  public class func day() -> HKUnit { named("d") }
  public class func hertz() -> HKUnit { named("Hz") }
  public class func hertzUnit(with prefix: HKMetricPrefix) -> HKUnit { named("Hz", prefix) }
}

// MARK: - Energy and power

extension HKUnit {
  public class func joule() -> HKUnit { named("J") }
  public class func jouleUnit(with prefix: HKMetricPrefix) -> HKUnit { named("J", prefix) }
  public class func kilocalorie() -> HKUnit { named("kcal") }
  public class func smallCalorie() -> HKUnit { named("cal") }
  public class func largeCalorie() -> HKUnit { named("Cal") }
  @available(*, deprecated, renamed: "smallCalorie()")
  public class func calorie() -> HKUnit { named("cal") }
  public class func watt() -> HKUnit { named("W") }
  public class func wattUnit(with prefix: HKMetricPrefix) -> HKUnit { named("W", prefix) }
}

// MARK: - Temperature, electricity, light, angle

extension HKUnit {
  public class func degreeCelsius() -> HKUnit { named("degC") }
  public class func degreeFahrenheit() -> HKUnit { named("degF") }
  public class func kelvin() -> HKUnit { named("K") }
  public class func siemen() -> HKUnit { named("S") }
  public class func siemenUnit(with prefix: HKMetricPrefix) -> HKUnit { named("S", prefix) }
  public class func volt() -> HKUnit { named("V") }
  public class func voltUnit(with prefix: HKMetricPrefix) -> HKUnit { named("V", prefix) }
  public class func diopter() -> HKUnit { named("D") }
  public class func prismDiopter() -> HKUnit { named("pD") }
  public class func lux() -> HKUnit { named("lx") }
  public class func luxUnit(with prefix: HKMetricPrefix) -> HKUnit { named("lx", prefix) }
  public class func radianAngle() -> HKUnit { named("rad") }
  public class func radianAngleUnit(with prefix: HKMetricPrefix) -> HKUnit { named("rad", prefix) }
  public class func degreeAngle() -> HKUnit { named("deg") }
}

// MARK: - Scalars and scores

extension HKUnit {
  public class func count() -> HKUnit { named("count") }
  /// A ratio: 98 % has the value 0.98. The conversion factor to `count` is 1.
  public class func percent() -> HKUnit { named("%") }
  public class func internationalUnit() -> HKUnit { named("IU") }
  public class func appleEffortScore() -> HKUnit { named("appleEffortScore") }
}

extension HKMetricPrefix {
  var prefix: MetricPrefix {
    switch self {
    case .none: .none
    case .pico: .pico
    case .nano: .nano
    case .micro: .micro
    case .milli: .milli
    case .centi: .centi
    case .deci: .deci
    case .deca: .deca
    case .hecto: .hecto
    case .kilo: .kilo
    case .mega: .mega
    case .giga: .giga
    case .tera: .tera
    case .femto: .femto
    }
  }
}
