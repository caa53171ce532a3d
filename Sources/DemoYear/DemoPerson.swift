import Foundation
import StrapSimulator

/// A person whose fitness and weight change over the year, with a cold and a holiday.
struct DemoPerson: Sendable {
  static let age = 38
  static let maximumHeartRate = 184.0

  /// For each day of the cold, the number of beats per minute by which it raises the resting heart rate.
  private static let coldCourse = [3.0, 8, 11, 9, 6, 4, 2]
  private static let holidayLength = 14

  let seed: UInt64
  /// Number of days in the year.
  let days: Int

  /// Returns the fraction of the year that has passed on a day, from 0 to 1.
  func progress(_ day: Int) -> Double { Double(day) / Double(max(1, days - 1)) }

  /// Returns the number of beats per minute by which the cold raises the resting heart rate on a day; 0
  /// without a cold.
  func cold(_ day: Int) -> Double {
    let since = day - (days > 90 ? days - 75 : days / 2)
    return Self.coldCourse.indices.contains(since) ? Self.coldCourse[since] : 0
  }

  /// Returns whether the cold ended one to four days ago. The person trains less on these days.
  func isRecovering(_ day: Int) -> Bool { (1...4).contains { cold(day - $0) > 0 } }

  func isHoliday(_ day: Int) -> Bool {
    days > 180 && (days - 150..<days - 150 + Self.holidayLength).contains(day)
  }

  /// Returns the resting heart rate while awake on a day, in beats per minute.
  func restingHeartRate(_ day: Int) -> Double {
    let trained = 61 - 5.5 * smooth(progress(day))
    return trained + 1.3 * noise(day, every: 9, stream: 1) + 0.9 * noise(day, every: 2, stream: 2)
      + cold(day) - (isHoliday(day) ? 1.5 : 0)
  }

  /// Returns the heart-rate variability (SDNN) in a night, in milliseconds.
  func variability(_ day: Int) -> Double {
    let trained = 47 + 11 * smooth(progress(day))
    let daily = 5 * noise(day, every: 6, stream: 3) + 4 * noise(day, every: 2, stream: 4)
    return (trained + daily) * max(0.5, 1 - cold(day) / 22) * (isHoliday(day) ? 1.12 : 1)
  }

  /// Returns the weight in kilograms.
  func weight(_ day: Int) -> Double {
    let lost = 81.9 - 4.7 * smooth(min(1, progress(day) * 1.25))
    return lost + 0.45 * noise(day, every: 12, stream: 5) + (isHoliday(day) ? 0.5 : 0)
      - cold(day) * 0.03
  }

  /// Returns the maximal oxygen uptake in ml/(kg·min).
  func oxygenUptake(_ day: Int) -> Double {
    41.5 + 4.2 * smooth(progress(day)) + 0.4 * noise(day, every: 14, stream: 6) - cold(day) * 0.06
  }

  func systolic(_ day: Int) -> Double {
    127 - 6 * smooth(progress(day)) + 4 * noise(day, every: 3, stream: 7)
  }

  /// Returns a random number generator for a day. Different purposes get independent numbers.
  func random(_ day: Int, for purpose: UInt64) -> SplitMix64 {
    SplitMix64(seed: seed, stream: purpose << 32 &+ UInt64(day + 1))
  }

  /// Returns a value that rises smoothly from 0 to 1 as `part` goes from 0 to 1.
  private func smooth(_ part: Double) -> Double { part * part * (3 - 2 * part) }

  /// Returns noise between -1 and 1 that changes smoothly, with a new random value every `period` days.
  private func noise(_ day: Int, every period: Int, stream: UInt64) -> Double {
    func node(_ number: Int) -> Double {
      var random = SplitMix64(seed: seed, stream: stream << 32 &+ UInt64(number))
      return random.uniform(in: -1..<1)
    }
    let (number, rest) = day.quotientAndRemainder(dividingBy: period)
    let part = Double(rest) / Double(period)
    return node(number) * (1 - part) + node(number + 1) * part
  }
}
