package import Foundation
import HealthKit
import HealthStorage

/// The user's maximum heart rate, from which zones of effort follow.
package struct MaximumHeartRate: Codable, Sendable, Hashable {
  package enum Origin: String, Codable, Sendable {
    /// The user has entered it.
    case chosen
    /// Estimated as 208 − 0.7 × age (Tanaka, Monahan and Seals 2001).
    case age
  }

  /// Beats per minute.
  package let maximum: Int
  package let origin: Origin

  /// The rates that can be entered.
  package static let range = 100...230

  /// The key under which the rate is stored, beside the characteristics.
  fileprivate static let key = "org.hrgate.maximumHeartRate"

  /// The estimate for a person born on a day; `nil` for an impossible age.
  init?(bornOn birth: Date, now: Date) {
    let age = now.timeIntervalSince(birth) / (365.2425 * 86_400)
    guard age > 0, age < 130 else { return nil }
    self.init(Int((208 - 0.7 * age).rounded()), .age)
  }

  fileprivate init(_ maximum: Int, _ origin: Origin) { (self.maximum, self.origin) = (maximum, origin) }
}

extension SystemStore {
  /// Returns the maximum heart rate, or nil if neither it nor the date of birth is set.
  package func maximumHeartRate(now: Date = .now) throws -> MaximumHeartRate? {
    if let rate = try HKError.translating({ try database.characteristic(MaximumHeartRate.key) }) {
      return MaximumHeartRate(Int(rate), .chosen)
    }
    guard let day = try Characteristic.dateOfBirth.text(in: healthStore),
      let birth = try? Date("\(day)T00:00:00Z", strategy: .iso8601)
    else { return nil }
    return MaximumHeartRate(bornOn: birth, now: now)
  }

  /// Stores the maximum heart rate for commands, the page and other programs of the user.
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
