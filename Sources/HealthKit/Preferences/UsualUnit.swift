import Foundation

/// The units that people in a country usually use for a type.
///
/// Apple does not publish its table. This one has the units that Apple's Health app shows in the United
/// States, the United Kingdom and elsewhere.
enum UsualUnit {
  static func of(_ type: HKQuantityType, in locale: Locale) -> HKUnit {
    let place = Place(locale)
    let identifier = HKQuantityTypeIdentifier(rawValue: type.identifier)
    return special(identifier, place) ?? byDimension(type.canonicalUnit, place) ?? type.canonicalUnit
  }

  private enum Place {
    case us, uk, metric

    init(_ locale: Locale) {
      switch locale.measurementSystem {
      case .us: self = .us
      case .uk: self = .uk
      default: self = .metric
      }
    }
  }

  private static func special(_ identifier: HKQuantityTypeIdentifier, _ place: Place) -> HKUnit? {
    switch identifier {
    case .height: place == .us ? .foot() : .meterUnit(with: .centi)
    case .waistCircumference, .walkingStepLength, .runningStrideLength:
      place == .us ? .inch() : .meterUnit(with: .centi)
    case .bodyMass, .leanBodyMass:
      switch place {
      case .us: .pound()
      case .uk: .stone()
      case .metric: .gramUnit(with: .kilo)
      }
    case .bloodGlucose:
      place == .uk
        ? HKUnit.moleUnit(with: .milli, molarMass: HKUnitMolarMassBloodGlucose).unitDivided(by: .liter())
        : HKUnit.gramUnit(with: .milli).unitDivided(by: .literUnit(with: .deci))
    case .swimmingStrokeCount, .stepCount: .count()
    case .distanceSwimming: place == .us ? .yard() : .meter()
    case .runningVerticalOscillation: .meterUnit(with: .centi)
    case .underwaterDepth, .sixMinuteWalkTestDistance: place == .us ? .foot() : .meter()
    case .dietaryWater:
      place == .us ? .fluidOunceUS() : .literUnit(with: .milli)
    default: nil
    }
  }

  private static func byDimension(_ canonical: HKUnit, _ place: Place) -> HKUnit? {
    if canonical == .meter() { return place == .metric ? .meterUnit(with: .kilo) : .mile() }
    if canonical == HKUnit.meter().unitDivided(by: .second()) {
      return HKUnit(from: place == .metric ? "km/hr" : "mi/hr")
    }
    if canonical == HKUnit.count().unitDivided(by: .second()) { return HKUnit(from: "count/min") }
    if canonical.isEqual(HKUnit.degreeCelsius()) {
      return place == .us ? .degreeFahrenheit() : .degreeCelsius()
    }
    return nil
  }
}
