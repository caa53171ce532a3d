import Synchronization

/// The units that were made so far, so that a string is parsed once and equal units are mostly one object.
///
/// It starts anew at a number of units that no program's own units reach: strings from outside, which have bounds, cannot fill the
/// memory.
enum UnitRegistry {
  private struct Known: Sendable {
    var byString: [String: HKUnit] = [:]
    var byFactors: [[UnitFactor]: HKUnit] = [:]

    mutating func unit(_ factors: [UnitFactor]) -> HKUnit {
      if let unit = byFactors[factors] { return unit }
      let unit = HKUnit(UnitForm(factors))
      if byFactors.count == capacity { self = Known() }
      byFactors[factors] = unit
      return unit
    }

    mutating func remember(_ unit: HKUnit, as string: String) {
      if byString.count == capacity { self = Known() }
      byString[string] = unit
    }
  }

  private static let capacity = 2048
  private static let known = Mutex(Known())

  static func unit(_ factors: [UnitFactor]) -> HKUnit {
    known.withLock { $0.unit(factors) }
  }

  static func unit(parsing string: String) throws(HKValidationError) -> HKUnit {
    if let unit = known.withLock({ $0.byString[string] }) { return unit }
    let factors = try UnitParser.parse(string)
    return known.withLock { known in
      let unit = known.unit(factors)
      known.remember(unit, as: string)
      return unit
    }
  }
}
