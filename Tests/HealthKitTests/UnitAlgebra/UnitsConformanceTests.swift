import Foundation
import HealthFormats
import Testing

@testable import TestSupport

/// Compares the sizes of units with GNU Units, an independent table.
@Suite(.enabled(if: GNUUnits.isInstalled, "skipped: units is not installed"))
struct UnitsConformanceTests {
  /// Each unit's symbol in hrgate, its name in GNU Units, and a unit in which both are compared.
  private static let table: [(String, String, String, String)] = [
    ("in", "inch", "m", "m"), ("ft", "foot", "m", "m"), ("yd", "yard", "m", "m"), ("mi", "mile", "m", "m"),
    ("oz", "ounce", "g", "g"), ("lb", "pound", "g", "g"), ("st", "stone", "g", "g"),
    ("L", "liter", "m^3", "m^3"), ("fl_oz_us", "usfloz", "L", "L"), ("fl_oz_imp", "brfloz", "L", "L"),
    ("pt_us", "uspint", "L", "L"), ("pt_imp", "brpint", "L", "L"), ("cup_us", "uscup", "L", "L"),
    ("cup_imp", "brcup", "L", "L"), ("mmHg", "mmHg", "Pa", "Pa"), ("cmAq", "cm water", "Pa", "Pa"),
    ("atm", "atm", "Pa", "Pa"), ("inHg", "inHg", "Pa", "Pa"), ("cal", "calorie", "J", "J"),
    ("kcal", "kilocalorie", "J", "J"), ("Cal", "Calorie", "J", "J"), ("min", "minute", "s", "s"),
    ("hr", "hour", "s", "s"), ("d", "day", "s", "s"), ("deg", "degree", "rad", "radian"),
    ("Hz", "hertz", "1/s", "1/s"), ("J", "joule", "kg.m^2/s^2", "kg m^2/s^2"),
    ("Pa", "pascal", "kg/m.s^2", "kg/(m s^2)"), ("mL/min·kg", "ml/(min kg)", "m^3/s.kg", "m^3/(s kg)"),
    ("kcal/hr·kg", "kilocalorie/(hour kg)", "J/s.kg", "J/(s kg)"), ("mg/dL", "mg/dl", "kg/m^3", "kg/m^3"),
    ("mi/hr", "mile/hour", "m/s", "m/s"), ("pm", "picometer", "m", "m"), ("fm", "femtometer", "m", "m"),
    ("Tg", "teragram", "g", "g"), ("dag", "decagram", "g", "g"), ("hPa", "hectopascal", "Pa", "Pa"),
  ]

  /// Known differences from GNU Units, with the reason.
  private static let knownDifferences: [String: String] = [
    "inHg": "Apple's header has 3386.38816 Pa; the conventional inch of mercury is 3386.388640341 Pa"
  ]

  @Test(arguments: table)
  func `sizes match GNU Units`(symbol: String, name: String, ours: String, theirs: String) throws {
    let size = try UnitForm(parsing: symbol).convert(1, to: UnitForm(parsing: ours))
    let expected = try GNUUnits.convert(name, to: theirs)
    let agree = abs(size - expected) <= 1e-14 * abs(expected)
    #expect(agree == (Self.knownDifferences[symbol] == nil), "\(symbol): \(size), GNU Units \(expected)")
  }

  @Test(arguments: [-273.15, -40, 0, 20.5, 36.6, 37, 100])
  func `temperatures match GNU Units`(celsius: Double) throws {
    for (unit, name) in [("degF", "tempF"), ("K", "tempK")] {
      let converted = try UnitForm(parsing: "degC").convert(celsius, to: UnitForm(parsing: unit))
      let expected = try GNUUnits.convert("tempC(\(celsius))", to: name)
      #expect(abs(converted - expected) < 1e-9)
    }
  }
}

/// Runs the `units` program.
private enum GNUUnits {
  private static let path = ["/usr/bin/units", "/usr/local/bin/units"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var isInstalled: Bool { path != nil }

  static func convert(_ from: String, to unit: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: try #require(path))
    process.arguments = ["--terse", "--digits", "15", from, unit]
    process.standardError = FileHandle.nullDevice
    let text = String(decoding: try process.output(), as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    return try #require(Double(text), "\(from) in \(unit): \(text)")
  }
}
