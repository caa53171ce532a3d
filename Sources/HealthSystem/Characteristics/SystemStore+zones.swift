package import Foundation
package import HealthKit
import HealthStorage

// The user's zones of effort, which commands, the page and programs share.

extension SystemStore {
  /// Returns the maximum heart rate that the user entered, or an estimate from the date of birth. Returns nil
  /// if neither is set.
  package func maximumHeartRate(now: Date = .now) throws -> MaximumHeartRate? {
    try healthStore.maximumHeartRate(now: now)
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

  /// Returns the limits of zones that the user entered; nil if zones are shares of the maximum heart rate.
  package func zoneLimits() throws -> ZoneLimits? { try healthStore.zoneLimits() }

  /// Stores the limits of zones. All of the user's programs use them from then on.
  /// - Parameter limits: The limits; nil for shares of the maximum heart rate.
  package func setZoneLimits(_ limits: ZoneLimits?) async throws {
    try await HKError.translating {
      try await database.setCharacteristic(ZoneLimits.key, to: limits?.stored)
    }
  }
}
