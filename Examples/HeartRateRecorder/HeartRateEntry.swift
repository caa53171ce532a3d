import HealthKit

/// Parses the input: beats per minute, or a number and a unit.
enum HeartRateEntry {
  struct ParseError: Error {
    var message: String
  }

  /// - Throws: `ParseError` if the number is not positive or the unit is invalid. Units that do not fit a
  ///   heart rate are accepted.
  static func quantity(_ text: String) throws(ParseError) -> HKQuantity {
    let words = text.split(separator: " ", maxSplits: 1)
    guard let number = words.first.flatMap({ Double($0) }), number > 0, number.isFinite else {
      throw ParseError(
        message: "That is no heart rate. Type a number, and a unit if it is not count/min: 1.2 Hz")
    }
    let unit: HKUnit
    do {
      // `HKUnit(from:)` is for constant strings: it traps on an invalid unit instead of throwing.
      unit = try HKUnit.validated(from: words.count > 1 ? String(words[1]) : "count/min")
    } catch {
      throw ParseError(message: "That is no unit. Type it as HealthKit writes it: count/min, Hz")
    }
    return HKQuantity(unit: unit, doubleValue: number)
  }
}
