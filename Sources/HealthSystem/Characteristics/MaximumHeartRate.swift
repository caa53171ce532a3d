package import Foundation
import HealthKit
import HealthStorage

/// The user's maximum heart rate. Heart-rate zones are percentages of it.
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
  fileprivate static let key = "org.hrgate.maximumHeartRate"

  /// Estimates the maximum heart rate from a date of birth. Returns nil if the age is implausible.
  init?(bornOn birth: Date, now: Date) {
    let age = now.timeIntervalSince(birth) / (365.2425 * 86_400)
    guard age > 0, age < 130 else { return nil }
    self.init(Int((208 - 0.7 * age).rounded()), .age)
  }

  fileprivate init(_ maximum: Int, _ origin: Origin) { (self.maximum, self.origin) = (maximum, origin) }
}

extension SystemStore {
  /// Returns the maximum heart rate that the user entered, or an estimate from the date of birth. Returns nil
  /// if neither is set.
  package func maximumHeartRate(now: Date = .now) throws -> MaximumHeartRate? {
    if let rate = try HKError.translating({ try database.characteristic(MaximumHeartRate.key) }) {
      return MaximumHeartRate(Int(rate), .chosen)
    }
    guard let day = try Characteristic.dateOfBirth.text(in: healthStore),
      let birth = try? Date("\(day)T00:00:00Z", strategy: .iso8601)
    else { return nil }
    return MaximumHeartRate(bornOn: birth, now: now)
  }

  /// Stores the maximum heart rate. All of the user's programs use it from then on.
  /// - Parameter rate: In beats per minute; nil to estimate it from the age.
  /// - Throws: errorInvalidArgument if the rate is not in ``MaximumHeartRate/range``.
  package func setMaximumHeartRate(_ rate: Int?) async throws {
    if let rate, !MaximumHeartRate.range.contains(rate) {
      throw HKError(
        .errorInvalidArgument, reason: "A maximum heart rate is between 100 and 230 beats per minute.")
    }
    try await HKError.translating {
      try await database.setCharacteristic(MaximumHeartRate.key, to: rate.map(Int64.init))
    }
  }
}
