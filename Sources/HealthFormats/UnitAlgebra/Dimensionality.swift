/// What a unit measures, as a product of powers of independent dimensions. Two units convert into each other
/// if theirs are equal.
///
/// Volume, pressure, energy and frequency are made of mass, length and time; the rest stand alone, as Apple
/// has it: W is not J/s, dBASPL is not Pa. Counts and percentages have no dimension.
public struct Dimensionality: Hashable, Sendable {
  enum Base: UInt8, Hashable, Sendable {
    case mass, length, time, temperature, conductance, potential, power, angle, illuminance, amount
    case internationalUnits, soundPressureLevel, hearingLevel, vergence, prism, effort
  }

  /// The power of each base, by its raw value. A vector: units are compared for every sample that is made.
  @usableFromInline var exponents = SIMD16<Int16>()

  static let none = Dimensionality()
  static let mass = Dimensionality(.mass)
  static let length = Dimensionality(.length)
  static let time = Dimensionality(.time)
  static let volume = Dimensionality([(.length, 3)])
  static let pressure = Dimensionality([(.mass, 1), (.length, -1), (.time, -2)])
  static let energy = Dimensionality([(.mass, 1), (.length, 2), (.time, -2)])
  static let frequency = Dimensionality([(.time, -1)])

  init(_ base: Base) {
    self.init([(base, 1)])
  }

  private init(_ powers: [(Base, Int16)] = []) {
    for (base, power) in powers { exponents[Int(base.rawValue)] = power }
  }

  @inlinable
  public static func == (left: Dimensionality, right: Dimensionality) -> Bool {
    left.exponents == right.exponents
  }

  /// Powers are bounded where units are read; what goes beyond, by multiplying over and over, wraps.
  mutating func multiply(by other: Dimensionality, power: Int) {
    exponents &+= other.exponents &* Int16(truncatingIfNeeded: power)
  }
}
