import Foundation
import HealthStorage

/// The user's maximum heart rate. Heart-rate zones are percentages of it, unless the user entered
/// ``ZoneLimits``.
package struct MaximumHeartRate: Codable, Sendable, Hashable {
  package enum Origin: String, Codable, Sendable {
    /// The user entered the maximum.
    case chosen
    /// The maximum is estimated as 208 − 0.7 × age (Tanaka, Monahan and Seals 2001).
    case age
  }

  /// The maximum heart rate in beats per minute.
  package let maximum: Int
  package let origin: Origin

  /// The range of values that a user can enter, in beats per minute.
  package static let range = 100...230

  /// The key under which the store's table of characteristics holds the maximum heart rate.
  package static let key = "org.hrgate.maximumHeartRate"

  /// Estimates the maximum heart rate from a date of birth. Returns nil if the age is implausible.
  package init?(bornOn birth: Date, now: Date) {
    let age = now.timeIntervalSince(birth) / (365.2425 * 86_400)
    guard age > 0, age < 130 else { return nil }
    self.init(Int((208 - 0.7 * age).rounded()), .age)
  }

  package init(_ maximum: Int, _ origin: Origin) { (self.maximum, self.origin) = (maximum, origin) }
}

/// The heart rates at which zones 1 to 5 begin, as the user entered them.
package struct ZoneLimits: Sendable, Hashable {
  package static let count = 5
  /// The range of a limit in beats per minute.
  package static let range = 30...250
  /// The rule for limits, as a sentence for the user.
  package static let rule =
    "Zones 1 to 5 begin at five ascending whole heart rates from 30 to 250 beats per minute."

  /// The key under which the store's table of characteristics holds the limits.
  package static let key = "org.hrgate.zoneLimits"

  /// The limits in beats per minute, ascending.
  package let rates: [Int]

  /// - Returns: `nil` if the rates do not follow the ``rule``.
  package init?(_ rates: [Int]) {
    guard rates.count == Self.count, rates.allSatisfy(Self.range.contains),
      zip(rates, rates.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    self.rates = rates
  }

  /// The limits as a number with a byte for each, so that a single value of the table holds them.
  package var stored: Int64 { rates.reduce(0) { $0 << 8 | Int64($1) } }

  /// - Returns: `nil` for a number that is not ``stored``.
  package init?(stored: Int64) {
    guard stored >= 0, stored >> (8 * Self.count) == 0 else { return nil }
    self.init((0..<Self.count).reversed().map { Int(stored >> (8 * $0) & 0xFF) })
  }
}

extension HKHealthStore {
  /// Returns the limits of zones that the user entered.
  /// - Throws: errorAuthorizationNotDetermined if the program did not request to read the heart rate.
  package func zoneLimits() throws -> ZoneLimits? {
    try zoneSetting(ZoneLimits.key).flatMap(ZoneLimits.init(stored:))
  }

  /// Returns the maximum heart rate that the user entered, or an estimate from the date of birth. Returns nil
  /// if neither is set or may be read.
  /// - Throws: errorAuthorizationNotDetermined if the program did not request to read the heart rate.
  package func maximumHeartRate(now: Date) throws -> MaximumHeartRate? {
    if let rate = try zoneSetting(MaximumHeartRate.key) { return MaximumHeartRate(Int(rate), .chosen) }
    // A program that may read the heart rate but not the date of birth must not learn the age from zones.
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    guard let birth = try? birthday().dateComponents(in: calendar).date else { return nil }
    return MaximumHeartRate(bornOn: birth, now: now)
  }

  /// Reads a setting of zones, which requires permission to read the heart rate.
  private func zoneSetting(_ key: String) throws -> Int64? {
    try HKError.translating {
      let type = HKQuantityType(.heartRate)
      return try admit(.read([type])).characteristic(key, permittedAs: type.identifier)
    }
  }
}
