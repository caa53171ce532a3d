/// What a unit measures, as a product of powers of independent dimensions. Two units convert into each other if
/// theirs are equal.
///
/// Volume, pressure, energy and frequency are made of mass, length and time; the rest stand alone, as Apple has
/// it: W is not J/s, dBASPL is not Pa. Counts and percentages have no dimension.
struct Dimensionality: Hashable, Sendable {
  enum Base: UInt8, Hashable, Sendable {
    case mass, length, time, temperature, conductance, potential, power, angle, illuminance, amount
    case internationalUnits, soundPressureLevel, hearingLevel, vergence, prism, effort
  }

  private(set) var exponents: [Base: Int] = [:]

  static let none = Dimensionality()
  static let mass = Dimensionality(.mass)
  static let length = Dimensionality(.length)
  static let time = Dimensionality(.time)
  static let volume = Dimensionality([.length: 3])
  static let pressure = Dimensionality([.mass: 1, .length: -1, .time: -2])
  static let energy = Dimensionality([.mass: 1, .length: 2, .time: -2])
  static let frequency = Dimensionality([.time: -1])

  init(_ base: Base) {
    exponents = [base: 1]
  }

  private init(_ exponents: [Base: Int] = [:]) {
    self.exponents = exponents
  }

  mutating func multiply(by other: Dimensionality, power: Int) {
    for (base, exponent) in other.exponents {
      let sum = exponents[base, default: 0] + exponent * power
      exponents[base] = sum == 0 ? nil : sum
    }
  }
}
