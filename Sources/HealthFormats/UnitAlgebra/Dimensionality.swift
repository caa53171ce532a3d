/// The dimension of a unit, such as length/time, as powers of base dimensions. Units can be converted into
/// each other if their dimensions are equal.
///
/// Volume, pressure, energy and frequency are derived from mass, length and time. As in Apple's framework,
/// the others are independent: W is not J/s, and dBASPL is not Pa. Counts and percentages have no dimension.
public struct Dimensionality: Hashable, Sendable {
  enum Base: UInt8, Hashable, Sendable {
    case mass, length, time, temperature, conductance, potential, power, angle, illuminance, amount
    case internationalUnits, soundPressureLevel, hearingLevel, vergence, prism, effort
  }

  /// The power of each base, indexed by its raw value. It is a SIMD vector, because units are compared for
  /// each new sample.
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

  /// Multiplies by a power of another dimension. Wraps around if a power overflows, which only happens beyond
  /// the parser's limits.
  mutating func multiply(by other: Dimensionality, power: Int) {
    exponents &+= other.exponents &* Int16(truncatingIfNeeded: power)
  }
}
