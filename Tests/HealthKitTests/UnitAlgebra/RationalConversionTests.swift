import Testing

@testable import HealthFormats

/// Compares conversions with rational arithmetic: each result must be the `Double` nearest to the exact
/// value.
@Suite struct RationalConversionTests {
  private static let symbols =
    BaseUnit.table.map(\.symbol)
    + [
      "km", "cm", "mcm", "fm", "Tm", "kg", "mg", "mcg", "mL", "dL", "kPa", "hPa", "kJ", "ms", "ns", "kHz",
      "mK",
    ]
    + ["mrad", "Gm^3", "count/min", "count/s", "mi/hr", "m/s", "km/hr", "mL/min·kg", "L/s·lb", "kcal/hr·kg"]
    + ["J/s·oz", "mg/dL", "mmol<180.15588000005408>/L", "ft^2", "in^2", "degF/min", "degC/hr", "1/s"]

  private static let pairs: [(String, String)] = symbols.flatMap { from in
    symbols.filter { to in
      guard let from = try? UnitForm(parsing: from), let to = try? UnitForm(parsing: to) else { return true }
      return from.isCompatible(with: to)
    }.map { (from, $0) }
  }

  /// Returns typical decimal numbers, and numbers of every magnitude.
  private static func values(_ generator: inout some RandomNumberGenerator) -> [Double] {
    var values: [Double] = [
      0, 1, -1, 0.1, 38.7, 98.6, 32, -40, 273.15, -459.67, .pi, .leastNonzeroMagnitude, .leastNormalMagnitude,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .ulpOfOne,
    ]
    for _ in 0..<10 {
      values.append(Double(Int.random(in: -99_999...99_999, using: &generator)) / 100)
      values.append(Double(Int.random(in: 0...9999, using: &generator)) / 10)
      let bits = Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
      if bits.isFinite { values.append(bits) }
      values.append(Double(bitPattern: UInt64.random(in: 0..<(1 << 52), using: &generator)))
      values.append(.random(in: 0x1p53...0x1p54, using: &generator) * 0x1p-40)
    }
    return values
  }

  @Test func `every pair of units converts every value to the nearest number`() throws {
    #expect(Self.pairs.count > 400)
    var generator = SystemRandomNumberGenerator()
    var checked = 0
    // Some pairs need more than 128 bits, such as the ratio of fl_oz_us and Gm^3.
    for (from, to) in Self.pairs {
      let (source, target) = try (UnitForm(parsing: from), UnitForm(parsing: to))
      let conversion = source.conversion(to: target)
      let line = try #require(Line(source, target), "\(from) to \(to)")
      for value in Self.values(&generator) {
        let result = conversion.convert(value)
        checked += 1
        #expect(line.isNearest(result, of: value), "\(value) \(from) is not \(result) \(to)")
        #expect(source.convert(value, to: target).bitPattern == result.bitPattern)
      }
    }
    #expect(checked > 20_000)
  }

  /// A result exactly between two numbers is rounded to the even one. The test uses 3/2 of odd integers of 53
  /// bits.
  @Test func `a tie rounds to even`() {
    let conversion = ExactConversion(ExactRatio(3, 2))
    for odd in stride(from: 0x1p52 + 1, to: 0x1p52 + 4001, by: 2) {
      let line = Line(numerator: BigInteger(3), offset: BigInteger(0), divisor: BigInteger(2))
      #expect(line.isNearest(conversion.convert(odd), of: odd), "\(odd)")
      #expect(line.isNearest(conversion.convert(-odd * 0x1p-1074), of: -odd * 0x1p-1074), "\(odd)")
    }
  }
}

/// The exact conversion of a value: `(value · numerator + offset) / divisor`.
private struct Line {
  let numerator: BigInteger
  let offset: BigInteger
  let divisor: BigInteger

  /// The first digits of π, with 60 decimals.
  private static let pi = BigInteger(
    decimal: "3141592653589793238462643383279502884197169399375105820974944")
  private static let piDivisor = BigInteger(decimal: "1" + String(repeating: "0", count: 60))

  init(numerator: BigInteger, offset: BigInteger, divisor: BigInteger) {
    self.numerator = numerator
    self.offset = offset
    self.divisor = divisor
  }

  init?(_ source: UnitForm, _ target: UnitForm) {
    guard let size = source.scale.exact, let other = target.scale.exact else { return nil }
    var above = BigInteger(size.numerator) * BigInteger(other.denominator)
    var below = BigInteger(size.denominator) * BigInteger(other.numerator)
    switch source.scale.powerOfPi - target.scale.powerOfPi {
    case 0: break
    case 1: (above, below) = (above * Self.pi, below * Self.piDivisor)
    case -1: (above, below) = (above * Self.piDivisor, below * Self.pi)
    default: return nil
    }
    let (zero, otherZero) = (Self.zero(source), Self.zero(target))
    let hundred = BigInteger(100)
    self.init(
      numerator: above * hundred, offset: above * BigInteger(zero) - below * BigInteger(otherZero),
      divisor: below * hundred)
  }

  /// Returns the zero point of a temperature unit in hundredths of a degree.
  private static func zero(_ form: UnitForm) -> UInt128 {
    switch form.unitString {
    case "degC": 273_15
    case "degF": 459_67
    default: 0
    }
  }

  /// Whether the exact value is between the midpoints from the result to its two neighbors.
  func isNearest(_ result: Double, of value: Double) -> Bool {
    // Compares twice the exact value with twice each midpoint. All numbers are in units of 2⁻¹⁰⁷⁴ / divisor.
    let unit = BigInteger(1).shifted(by: 1074)
    let twice = (BigInteger(units: value) * numerator + offset * unit) * BigInteger(2)
    let own = BigInteger(units: result)
    let lower = (own + BigInteger(units: result.nextDown)) * divisor
    let upper = (own + BigInteger(units: result.nextUp)) * divisor
    guard result.isFinite else { return result > 0 ? !(twice < lower) : !(upper < twice) }
    let isEven = result.significandBitPattern % 2 == 0
    return isEven ? !(twice < lower) && !(upper < twice) : lower < twice && twice < upper
  }
}

/// Integers of any size, independent of the module's own arithmetic.
private struct BigInteger {
  private var isNegative = false
  /// The digits in base 2³², least significant first.
  private var digits: [UInt32] = []

  init(_ number: UInt128) {
    var rest = number
    while rest > 0 {
      digits.append(UInt32(rest & 0xFFFF_FFFF))
      rest >>= 32
    }
  }

  init(decimal: String) {
    self = decimal.reduce(BigInteger(0)) {
      $0 * BigInteger(10) + BigInteger(UInt128($1.wholeNumberValue ?? 0))
    }
  }

  /// Converts a `Double` to units of the smallest positive one. Infinity counts as 2¹⁰²⁴.
  init(units value: Double) {
    if value.isInfinite {
      self = BigInteger(1).shifted(by: 1024 + 1074)
    } else if value.isNormal {
      self = BigInteger(UInt128(value.significandBitPattern | 1 << 52)).shifted(
        by: Int(value.exponent) - 52 + 1074)
    } else {
      self = BigInteger(UInt128(value.significandBitPattern))
    }
    isNegative = value < 0
  }

  func shifted(by bits: Int) -> BigInteger {
    var shifted = self * BigInteger(1 << UInt128(bits % 32))
    shifted.digits.insert(contentsOf: repeatElement(0, count: bits / 32), at: 0)
    return shifted
  }

  static func * (one: BigInteger, other: BigInteger) -> BigInteger {
    var product = BigInteger(0)
    product.digits = Array(repeating: 0, count: one.digits.count + other.digits.count)
    product.isNegative = one.isNegative != other.isNegative
    for (place, digit) in one.digits.enumerated() {
      var carry: UInt64 = 0
      for (otherPosition, otherDigit) in other.digits.enumerated() {
        carry += UInt64(digit) * UInt64(otherDigit) + UInt64(product.digits[place + otherPosition])
        product.digits[place + otherPosition] = UInt32(carry & 0xFFFF_FFFF)
        carry >>= 32
      }
      product.digits[place + other.digits.count] = UInt32(carry)
    }
    return product
  }

  static func + (one: BigInteger, other: BigInteger) -> BigInteger {
    guard one.isNegative == other.isNegative else {
      return other.isNegative ? one - other.negated : other - one.negated
    }
    var sum = one
    var carry: UInt64 = 0
    for place in 0...max(one.digits.count, other.digits.count) {
      carry += UInt64(one.digit(place)) + UInt64(other.digit(place))
      if place == sum.digits.count { sum.digits.append(0) }
      sum.digits[place] = UInt32(carry & 0xFFFF_FFFF)
      carry >>= 32
    }
    return sum
  }

  static func - (one: BigInteger, other: BigInteger) -> BigInteger {
    guard one.isNegative == other.isNegative else { return one + other.negated }
    guard !one.magnitudeIsLess(than: other) else { return (other - one).negated }
    var difference = one
    var borrow: Int64 = 0
    for place in one.digits.indices {
      borrow += Int64(one.digits[place]) - Int64(other.digit(place))
      difference.digits[place] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
    return difference
  }

  static func < (one: BigInteger, other: BigInteger) -> Bool {
    let difference = one - other
    return difference.isNegative && difference.digits.contains { $0 != 0 }
  }

  private var negated: BigInteger {
    var number = self
    number.isNegative.toggle()
    return number
  }

  private func digit(_ place: Int) -> UInt32 { place < digits.count ? digits[place] : 0 }

  private func magnitudeIsLess(than other: BigInteger) -> Bool {
    for place in (0..<max(digits.count, other.digits.count)).reversed()
    where digit(place) != other.digit(place) {
      return digit(place) < other.digit(place)
    }
    return false
  }
}
