import Foundation
import StrapSimulator

extension StrapProfile {
  /// Returns a sample strap with a wearer who sleeps, works and trains.
  /// - Parameters:
  ///   - start: The time of day at which the simulation starts, in seconds since midnight.
  ///   - beginsWithSession: Whether the wearer starts to train at once.
  static func worn(
    index: Int, startingAt start: Double, beginsWithSession: Bool, seed: UInt64
  ) -> StrapProfile {
    var strap = sample(index: index)
    strap.programme = .day(
      resting: 56 + Double(index * 7 % 17), maximum: 176 + Double(index * 5 % 19), startingAt: start,
      beginsWithSession: beginsWithSession, seed: seed &+ UInt64(index))
    return strap
  }

  /// Returns a strap for `hrgate run --simulate`. Every other wearer starts to train.
  static func live(index: Int, seed: UInt64, at date: Date = .now) -> StrapProfile {
    let midnight = Calendar.current.startOfDay(for: date)
    var strap = worn(
      index: index, startingAt: date.timeIntervalSince(midnight),
      beginsWithSession: index.isMultiple(of: 2), seed: seed)
    strap.name = "Simulated strap \(index + 1)"
    return strap
  }
}
