import Foundation
import HealthFormats
import Testing

/// Tests conversions with known results: the `Double` nearest to the exact value.
@Suite struct ExactConversionTests {
  private func convert(_ value: Double, _ from: String, _ to: String) throws -> Double {
    try UnitForm(parsing: from).convert(value, to: UnitForm(parsing: to))
  }

  private static let conversions: [(Double, String, String, Double)] = [
    (187.0, "cm", "m", 1.87), (1.75, "km", "m", 1750), (1, "oz", "g", 28.349523125),
    (27, "degC", "degF", 80.6),
    (0, "degC", "degF", 32), (100, "degC", "degF", 212), (-40, "degF", "degC", -40),
    (98.6, "degF", "degC", 37),
    (32.00001, "degF", "degC", 5.555555557318965e-06), (273.16, "K", "degC", 0.010000000000025011),
    (0, "degC", "K", 273.15), (1.1, "degC·m", "degF·m", 1.9800000000000002), (4.7, "m/s^2", "cm/s^2", 470),
    (1, "m^3", "L", 1000), (1000, "mL", "L", 1), (500, "mL", "L", 0.5), (72, "count/min", "count/s", 1.2),
    (1.2, "count/s", "count/min", 72), (12, "in", "ft", 1), (3, "ft", "yd", 1), (1, "in", "cm", 2.54),
    (1, "mi", "ft", 5280), (16, "oz", "lb", 1), (14, "lb", "st", 1), (1, "st", "g", 6350.29318),
    (1, "kcal", "J", 4184), (1, "Cal", "cal", 1000), (0.1, "kg", "g", 100), (0.3, "m", "mm", 300),
    (7, "d", "hr", 168), (1, "atm", "Pa", 101_325), (120, "mmHg", "Pa", 15998.6864898),
    (1, "inHg", "Pa", 3386.38816), (10, "cmAq", "Pa", 980.665), (1, "cup_us", "fl_oz_us", 8),
    (1, "pt_imp", "fl_oz_imp", 20), (1, "pt_us", "cup_us", 2), (0.98, "%", "count", 0.98),
    (2, "mol<18.02>", "g", 36.04), (180, "deg", "rad", Double.pi), (1, "Gm", "fm", 1e24),
    (1179, "mm", "cm", 117.9), (60, "kg", "oz", 2116.437716974825), (38.7, "in", "cm", 98.298),
    (70.3, "in", "cm", 178.56199999999998), (26.2, "mi", "km", 42.1648128), (155.3, "lb", "kg", 70.442895061),
    (98.6, "degF", "K", 310.15), (36.6, "degC", "degF", 97.88), (.leastNonzeroMagnitude, "m", "km", 0),
    (1.7e308, "km", "m", .infinity),
    (100, "mg/dL", "mmol<180.1558800000541>/L", 1000 / 180.15588000005408),
    (-459.67, "degF", "K", -8.842309600570136e-15),
    (-.infinity, "degC", "degF", -.infinity),
  ]

  @Test(arguments: conversions)
  func `a conversion gives the expected number`(
    value: Double, from: String, to: String, expected: Double
  ) throws {
    #expect(try convert(value, from, to) == expected)
  }

  @Test func `a conversion and back gives the same number, to the last bits`() throws {
    let pairs = [
      ("count/min", "count/s"), ("lb", "kg"), ("mi", "km"), ("kcal", "kJ"), ("mmHg", "Pa"), ("degF", "degC"),
    ]
    for (from, to) in pairs {
      for value in stride(from: 0.1, through: 200, by: 0.7) {
        let there = try convert(value, from, to)
        let back = try convert(there, to, from)
        #expect(abs(back - value) <= 4 * max(value.ulp, (50.0).ulp))
      }
    }
  }

  @Test func `a unit too large for integers still converts`() throws {
    let ratio = try convert(1, "Gm^20/mi^20", "()")
    #expect(abs(log10(ratio) - 20 * log10(1e9 / 1609.344)) < 1e-9)
  }
}
