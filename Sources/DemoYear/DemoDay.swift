import Foundation
import HealthKit
import StrapSimulator

/// A day in the person's life, from midnight to midnight.
struct DemoDay: Sendable {
  static let length = 86_400.0
  /// Duration in seconds of one sample of steps or energy.
  static let slot = 600.0

  let person: DemoPerson
  let index: Int
  let midnight: Date
  let weekday: Int
  let hours: DemoHours
  let night: DemoNight
  /// The time at which the person goes to bed in the evening, in seconds since this day's midnight.
  let nextBed: Double
  let sessions: [DemoSession]
  /// The day's walks, each with its intensity from 0 to 1.
  let walks: [(span: Range<Double>, intensity: Double)]
  let resting: Double

  init(_ person: DemoPerson, index: Int, midnight: Date, calendar: Calendar) {
    self.person = person
    self.index = index
    self.midnight = midnight
    weekday = calendar.component(.weekday, from: midnight)
    resting = person.restingHeartRate(index)
    hours = DemoHours(person, day: index, weekday: weekday)
    let before = DemoHours(person, day: index - 1, weekday: (weekday + 5) % 7 + 1)
    var random = person.random(index, for: 0x6E69)
    night = DemoNight(inBed: before.bed - Self.length..<hours.wake, &random)
    nextBed = hours.bed
    sessions = Self.sessions(person, index, weekday, resting, hours)
    walks = Self.walks(person, index, hours)
  }

  func date(_ seconds: Double) -> Date { midnight + seconds }

  // MARK: - The plan

  private static func sessions(
    _ person: DemoPerson, _ day: Int, _ weekday: Int, _ resting: Double, _ hours: DemoHours
  ) -> [DemoSession] {
    var random = person.random(day, for: 0x7365)
    guard person.cold(day) == 0, random.unit() > 0.13 else { return [] }
    let strength = person.isRecovering(day) ? 0.86 : 1
    let plan: (kind: DemoSession.Kind, hour: Double, minutes: Range<Double>)? =
      if person.isHoliday(day) {
        random.unit() < 0.6 ? (.hike, 10, 110..<210) : nil
      } else {
        switch weekday {
        case 2: (.strength, 18.5, 38..<52)
        case 3: (.run, 18.3, 36..<50)
        case 5: random.unit() < 0.6 ? (.intervals, 18.2, 38..<46) : (.run, 18.3, 40..<55)
        case 7: random.unit() < 0.5 ? (.run, 9.8, 62..<88) : (.ride, 10.2, 85..<140)
        case 1: random.unit() < 0.55 ? (.yoga, 10.6, 30..<48) : (.hike, 13.5, 80..<150)
        default: nil
        }
      }
    guard let plan else { return [] }
    let start = max(plan.hour * 3600, hours.wake + 5400) + random.uniform(in: -1200..<1500)
    return [
      DemoSession(
        plan.kind, start: start, minutes: random.uniform(in: plan.minutes), resting: resting,
        strength: strength, &random)
    ]
  }

  private static func walks(
    _ person: DemoPerson, _ day: Int, _ hours: DemoHours
  ) -> [(span: Range<Double>, intensity: Double)] {
    var random = person.random(day, for: 0x7761)
    guard person.cold(day) == 0 else { return [] }
    var walks: [(span: Range<Double>, intensity: Double)] = []
    func walk(_ hour: Double, _ minutes: Range<Double>, _ intensity: Double, _ random: inout SplitMix64) {
      let start = max(hours.wake + 1800, hour * 3600 + random.uniform(in: -900..<900))
      let duration = random.uniform(in: minutes) * 60
      walks.append((start..<start + duration, intensity * random.uniform(in: 0.85..<1.15)))
    }
    if hours.isFree {
      walk(11.5, 25..<50, 0.45, &random)
      if random.unit() < 0.75 { walk(15.8, 30..<70, 0.55, &random) }
    } else {
      walk(7.6, 17..<26, 0.6, &random)
      walk(12.4, 10..<22, 0.5, &random)
      walk(17.1, 17..<28, 0.6, &random)
      if random.unit() < 0.3 { walk(20.6, 20..<40, 0.5, &random) }
    }
    return walks
  }

  // MARK: - The state at a time

  func isAsleep(_ time: Double) -> Bool {
    night.asleep?.contains(time) ?? false || time > nextBed + 900
  }

  func session(around time: Double, margin: Double = 0) -> DemoSession? {
    sessions.first { $0.start - margin <= time && time < $0.end + margin }
  }

  /// Returns how intensely the person moves, from 0 to 1: the intensity of a walk, or `background` otherwise.
  func intensity(_ time: Double, _ background: Double) -> Double {
    walks.first { $0.span.contains(time) }?.intensity ?? background
  }

  /// Returns the heart rate outside of training sessions.
  func heartRate(_ time: Double, intensity: Double) -> Double {
    guard !isAsleep(time) else { return sleepingHeartRate(time) }
    var rate = resting + 9 + 44 * intensity + 0.4 * person.cold(index)
    for meal in [12.9, 19.4] {
      let since = time / 3600 - meal
      if (0..<2).contains(since) { rate += 6 * (1 - since / 2) }
    }
    for session in sessions where time >= session.end {
      rate += 26 * exp((session.end - time) / 1500)
    }
    return rate
  }

  private func sleepingHeartRate(_ time: Double) -> Double {
    // The sleeping heart rate is lowest at 4 a.m. It is higher on Friday and Saturday nights.
    let fromNadir = abs(time < 43_200 ? time - 14_400 : time - 100_800) / 14_400
    let stage: Double =
      switch night.stage(at: time) {
      case .asleepDeep: -2
      case .asleepREM: 3.5
      case .awake: 9
      default: 0
      }
    let late = (weekday == 7 || weekday == 1) && time < 14_400 ? 3.5 : 0
    return resting - 8 + 5 * min(1.4, fromNadir) + stage + late
  }
}
