import Foundation
import HealthDataSync
import Testing

@testable import TestSupport

/// Compares figures of the page with those of the command line.
enum PageFigures {
  /// Expects that each field of a line of the command line has the same value on the page.
  /// - Parameter names: The fields to compare; nil for all except the day of an interval.
  static func expectEqual(
    _ page: [String: Any], _ line: [String: Any], _ what: String, only names: Set<String>? = nil
  ) throws {
    for (name, value) in line where names?.contains(name) ?? (name != "day") {
      // `--json` always prints energy in kJ. The page uses the unit that the user chose.
      let isOther = line["unit"] as? String == "kJ" && page["unit"] as? String == "kcal" && name != "count"
      guard let number = value as? Double else {
        #expect(try isOther && name == "unit" || text(page[name]) == text(value), "\(what) \(name)")
        continue
      }
      let shown = try #require(page[name] as? Double, "\(what) \(name)")
      // An average over summaries of hours adds values in another order, so its last digits may differ.
      let room = name == "average" ? 1e-12 * number : 0
      let isSame = isOther ? abs(shown * 4.184 - number) < 1e-9 * number : abs(shown - number) <= room
      #expect(isSame, "\(what) \(name): \(shown) on the page, \(number) in the line")
    }
  }

  private static func text(_ value: Any?) throws -> String {
    let json = try JSONSerialization.data(
      withJSONObject: value ?? NSNull(), options: [.fragmentsAllowed, .sortedKeys])
    return String(decoding: json, as: UTF8.self)
  }
}

extension PageClient.Answer {
  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONLine.decode(type, from: body)
  }
}
