import Foundation
import HealthKit
import StrapSimulator

/// A night and its sleep stages.
struct DemoNight: Sendable {
  struct Stage: Sendable {
    var value: HKCategoryValueSleepAnalysis
    /// The time span in seconds since midnight of the day on which the person wakes up. Negative before
    /// midnight.
    var span: Range<Double>
  }

  /// The time in bed, in seconds since midnight of the day on which the person wakes up.
  let bed: Range<Double>
  private(set) var stages: [Stage] = []

  /// Generates a night of sleep cycles: mostly core and deep sleep at first, more REM sleep towards the
  /// morning.
  init(inBed bed: Range<Double>, _ random: inout SplitMix64) {
    self.bed = bed
    var time = bed.lowerBound + random.uniform(in: 420..<1500)
    let end = bed.upperBound - random.uniform(in: 120..<600)
    var cycle = 0.0
    while time < end {
      let deep = max(0, 2500 - 700 * cycle) * random.uniform(in: 0.75..<1.2)
      let parts: [(HKCategoryValueSleepAnalysis, Double)] = [
        (.asleepCore, random.uniform(in: 1100..<2000)), (.asleepDeep, deep),
        (.asleepCore, random.uniform(in: 900..<1700)),
        (.asleepREM, (500 + 420 * cycle) * random.uniform(in: 0.7..<1.25)),
        (.awake, random.unit() < 0.55 ? random.uniform(in: 60..<420) : 0),
      ]
      for (value, duration) in parts where duration >= 60 && time < end {
        stages.append(Stage(value: value, span: time..<min(end, time + duration)))
        time += duration
      }
      cycle += 1
    }
  }

  /// The time from falling asleep to waking up; nil for a night without sleep.
  var asleep: Range<Double>? {
    guard let first = stages.first, let last = stages.last else { return nil }
    return first.span.lowerBound..<last.span.upperBound
  }

  func stage(at time: Double) -> HKCategoryValueSleepAnalysis? {
    stages.first { $0.span.contains(time) }?.value
  }
}

/// The times at which the person gets up and goes to bed on a day.
struct DemoHours: Sendable {
  /// The time at which the person gets up, in seconds since midnight.
  let wake: Double
  /// The time at which the person goes to bed, in seconds since midnight. Greater than 86,400 if the person
  /// goes to bed after the next midnight.
  let bed: Double
  /// Whether the day is a day off.
  let isFree: Bool

  /// - Parameter weekday: The day of the week, from 1 for Sunday to 7 for Saturday.
  init(_ person: DemoPerson, day: Int, weekday: Int) {
    var random = person.random(day, for: 0x686F)
    let (hour, isIll) = (3600.0, person.cold(day) > 0)
    isFree = weekday == 1 || weekday == 7 || person.isHoliday(day)
    wake =
      hour * (isFree ? 8.1 + random.uniform(in: -0.7..<0.7) : 6.65 + random.uniform(in: -0.25..<0.3))
      + (isIll ? 0.8 * hour : 0)
    let isLate = weekday == 6 || weekday == 7 || person.isHoliday(day)
    bed =
      hour * (isLate ? 24.1 + random.uniform(in: -0.7..<0.9) : 22.8 + random.uniform(in: -0.4..<0.6))
      - (isIll ? 1.2 * hour : 0)
  }
}
