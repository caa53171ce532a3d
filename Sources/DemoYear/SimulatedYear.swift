package import Foundation
package import HealthKit
import HealthStorage
package import HealthSystem

/// A year of a person who does not exist: nights, work days, training, weight, blood pressure, a holiday and a
/// cold.
///
/// The same seed, end, length and time zone give the same samples. Each sample has the metadata
/// `org.hrgate.demo`.
package struct SimulatedYear: Sendable {
  /// Number of days per transaction.
  private static let daysAtOnce = 31

  private let seed: UInt64
  private let end: Date
  private let days: Int
  private let calendar: Calendar

  /// Creates a year, whose samples are made by `save(to:strap:)`.
  /// - Parameters:
  ///   - end: The time at which the last sample ends at the latest.
  ///   - days: The length, including the day of `end`.
  ///   - calendar: The calendar of the days.
  package init(seed: UInt64, end: Date, days: Int = 365, calendar: Calendar = .current) {
    self.seed = seed
    self.end = end
    self.days = days
    self.calendar = calendar
  }

  /// Saves the year, with the characteristics and goals of the person.
  /// - Parameter strap: The chest strap that the person wears in the sessions of the last two weeks.
  /// - Returns: The number of samples.
  /// - Throws: `HKError`; `CancellationError`.
  @discardableResult
  package func save(to store: SystemStore, strap: HKSource) async throws -> Int {
    try await describePerson(in: store)
    let person = DemoPerson(seed: seed, days: days)
    var count = 0
    var saving: Task<Void, any Error>?
    for first in stride(from: 0, to: days, by: Self.daysAtOnce) {
      var samples = try DemoSamples(strap: strap, end: end, seed: seed, part: first)
      for index in first..<min(days, first + Self.daysAtOnce) {
        guard let midnight = midnight(ofDay: index) else { continue }
        try DemoDay(person, index: index, midnight: midnight, calendar: calendar).append(to: &samples)
      }
      count += samples.count
      // The next month is made while this one is saved.
      try await saving?.value
      let batch = samples
      saving = Task { try await batch.save(to: store) }
    }
    try await saving?.value
    try await store.skipDerivation()
    return count
  }

  private func midnight(ofDay index: Int) -> Date? {
    let today = calendar.startOfDay(for: end)
    return calendar.date(byAdding: .day, value: index - days + 1, to: today)
      .map { calendar.startOfDay(for: $0) }
  }

  private func describePerson(in store: SystemStore) async throws {
    let year = calendar.component(.year, from: end)
    try await store.setDateOfBirth(ActivityDay(year: year - DemoPerson.age, month: 3, day: 14))
    try await store.setCharacteristic(.biologicalSex, to: HKBiologicalSex.male.rawValue)
    guard let midnight = midnight(ofDay: 0) else { return }
    let day = calendar.dateComponents([.year, .month, .day], from: midnight)
    guard let first = ActivityDay(year: day.year ?? 0, month: day.month ?? 0, day: day.day ?? 0) else {
      return
    }
    let energy = HKQuantity(unit: .kilocalorie(), doubleValue: 550)
    try await store.setActivityGoal(energy, for: .activeEnergyBurned, from: first)
    let exercise = HKQuantity(unit: .minute(), doubleValue: 30)
    try await store.setActivityGoal(exercise, for: .appleExerciseTime, from: first)
  }
}
