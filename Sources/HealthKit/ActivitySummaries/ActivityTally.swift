import Foundation
import HealthStorage

/// Computes the quantities of activity summaries from stored samples. Energy, move time and exercise time are
/// sums over all sources. Stand hours are the number of hours with a sample that states that the person
/// stood.
///
/// Days are calendar days in the user's time zone. Days without such samples are left out.
struct ActivityTally {
  static let types: [(measure: ActivityFigures.Measure, type: HKQuantityType)] = [
    (.activeEnergyBurned, HKQuantityType(.activeEnergyBurned)),
    (.appleMoveTime, HKQuantityType(.appleMoveTime)),
    (.appleExerciseTime, HKQuantityType(.appleExerciseTime)),
  ]
  static let standHour = HKCategoryType(.appleStandHour)
  static var sampleTypes: [HKSampleType] { types.map(\.type) + [standHour] }

  /// The Gregorian calendar. `Calendar.current` may be another one.
  private let calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    return calendar
  }()
  private let store: HKHealthStore
  private let bounds: ActivityBounds

  init(_ store: HKHealthStore, _ bounds: ActivityBounds) {
    self.store = store
    self.bounds = bounds
  }

  func figures() async throws -> [ActivityDay: [ActivityFigures.Measure: Double]] {
    var days: [ActivityDay: [ActivityFigures.Measure: Double]] = [:]
    let midnight = calendar.startOfDay(for: Date(timeIntervalSinceReferenceDate: 0))
    var components = DateComponents(day: 1)
    components.calendar = calendar
    let (intervals, questions) = try HKError.validating { () throws(HKValidationError) in
      let intervals = try StatisticsIntervals(anchor: midnight, components: components)
      var questions: [(ActivityFigures.Measure, StatisticsRequest)] = []
      for (measure, type) in Self.types {
        questions.append((measure, try StatisticsRequest(type, window, .cumulativeSum)))
      }
      return (intervals, questions)
    }
    for (measure, request) in questions {
      for statistics in try await store.statisticsCollection(request, intervals).statistics() {
        guard let day = day(of: statistics.startDate), let sum = statistics.sumQuantity() else { continue }
        days[day, default: [:]][measure] = sum.doubleValue(for: measure.unit)
      }
    }
    for (day, hours) in try await standHours() { days[day, default: [:]][.appleStandHours] = Double(hours) }
    return days
  }

  private func standHours() async throws -> [ActivityDay: Int] {
    let request = try SampleRequest(Self.standHour, window)
    let hours: Set<DateComponents> = try await store.fold(
      into: [], request, order: [.start(ascending: true)], limit: nil
    ) { [calendar] (hours: inout Set<DateComponents>, sample: HKCategorySample) in
      guard sample.value == HKCategoryValueAppleStandHour.stood.rawValue else { return }
      hours.insert(calendar.dateComponents([.year, .month, .day, .hour], from: sample.startDate))
    }
    var days: [ActivityDay: Int] = [:]
    for hour in hours {
      guard let date = calendar.date(from: hour), let day = day(of: date) else { continue }
      days[day, default: 0] += 1
    }
    return days
  }

  /// Returns the day that contains a date. Returns nil if the day is outside the queried days, because only
  /// some of its samples were read.
  private func day(of date: Date) -> ActivityDay? {
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    guard let year = parts.year, let month = parts.month, let number = parts.day,
      let day = ActivityDay(year: year, month: month, day: number),
      bounds.first.map({ $0 <= day }) ?? true, bounds.last.map({ day <= $0 }) ?? true
    else { return nil }
    return day
  }

  private var window: PredicateTranslation? {
    guard bounds.first != nil || bounds.last != nil else { return nil }
    let start = bounds.first.flatMap { calendar.date(from: $0.dateComponents(in: calendar)) }
    let end = bounds.last.flatMap { last in
      calendar.date(from: last.dateComponents(in: calendar)).flatMap {
        calendar.date(byAdding: .day, value: 1, to: $0)
      }
    }
    return PredicateTranslation(HKQuery.predicateForSamples(withStart: start, end: end))
  }
}
