import Foundation
import HealthKit
import StrapSimulator

/// A training session.
struct DemoSession: Sendable {
  enum Kind: Sendable {
    case run
    case intervals
    case ride
    case strength
    case yoga
    case hike

    var activity: HKWorkoutActivityType {
      switch self {
      case .run, .intervals: .running
      case .ride: .cycling
      case .strength: .traditionalStrengthTraining
      case .yoga: .yoga
      case .hike: .hiking
      }
    }

    /// The speed in meters per second at the usual effort, or nil for a stationary activity such as yoga.
    var speed: Double? {
      switch self {
      case .run: 2.85
      case .intervals: 3.1
      case .ride: 6.9
      case .hike: 1.25
      case .strength, .yoga: nil
      }
    }

    /// Steps per second.
    var cadence: Double {
      switch self {
      case .run, .intervals: 2.75
      case .hike: 1.8
      case .ride, .strength, .yoga: 0
      }
    }
  }

  /// Seconds between two heart rates that the watch records.
  static let interval = 5.0

  let kind: Kind
  /// The start of the session in seconds since midnight.
  let start: Double
  let duration: Double
  /// The heart rates in beats per minute, one for each ``interval``.
  let rates: [Double]

  var end: Double { start + duration }

  /// Creates a session and computes its heart rates from the effort of each phase, such as the warm-up.
  init(
    _ kind: Kind, start: Double, minutes: Double, resting: Double, strength: Double,
    _ random: inout SplitMix64
  ) {
    self.kind = kind
    self.start = start
    let count = Int(minutes * 60 / Self.interval)
    duration = Double(count) * Self.interval
    let reserve = DemoPerson.maximumHeartRate - resting
    var (rate, target, left) = (resting + 18, 0.0, 0.0)
    var rates: [Double] = []
    for number in 0..<count {
      let part = Double(number) / Double(count)
      if left <= 0 {
        let effort = Self.effort(kind, part, number, &random)
        target = resting + reserve * min(0.96, effort.part * strength)
        left = effort.seconds
      }
      left -= Self.interval
      let wanted = part > 0.93 ? resting + reserve * 0.4 : target
      // The heart rate approaches its target exponentially, faster when it rises (24 s) than when it falls
      // (50 s).
      rate += (wanted - rate) * (1 - exp(-Self.interval / (wanted > rate ? 24 : 50)))
      rates.append(rate + 0.7 * random.normal())
    }
    self.rates = rates
  }

  /// Returns the next effort as a fraction of the heart rate reserve, and how many seconds it lasts.
  /// - Parameter part: The fraction of the session that has passed, from 0 to 1.
  private static func effort(
    _ kind: Kind, _ part: Double, _ number: Int, _ random: inout SplitMix64
  ) -> (part: Double, seconds: Double) {
    let isWarmingUp = Double(number) * interval < 480
    switch kind {
    case .run:
      return (
        isWarmingUp ? 0.55 : 0.68 + 0.07 * part + random.uniform(in: -0.035..<0.035),
        random.uniform(in: 80..<200)
      )
    case .intervals:
      if isWarmingUp { return (0.55, 480) }
      let isHard = (Int((Double(number) * interval - 480) / 240) % 2) == 0
      return (isHard ? random.uniform(in: 0.88..<0.95) : 0.56, isHard ? 170 : 70)
    case .ride:
      return (
        isWarmingUp ? 0.45 : 0.58 + 0.05 * part + random.uniform(in: -0.11..<0.13),
        random.uniform(in: 120..<420)
      )
    case .strength:
      return (random.unit() < 0.5 ? random.uniform(in: 0.5..<0.65) : 0.3, random.uniform(in: 40..<110))
    case .yoga: return (random.uniform(in: 0.12..<0.25), random.uniform(in: 90..<300))
    case .hike: return (random.uniform(in: 0.36..<0.58), random.uniform(in: 200..<700))
    }
  }

  /// Returns the kilocalories burned in one ``interval`` at a heart rate (formula for men by Keytel et al.
  /// 2005).
  static func energy(at rate: Double, weight: Double) -> Double {
    let perMinute = (0.6309 * rate + 0.1988 * weight + 0.2017 * Double(DemoPerson.age) - 55.0969) / 4.184
    return max(1.2, perMinute) * interval / 60
  }
}
