import Foundation
import HealthKit
import HealthSystem

/// This week against the weeks before, in sentences that say what was compared.
struct SummaryAnswer: Codable, Sendable {
  struct Highlight: Codable, Sendable {
    var type: String
    /// `average`, or `daily` for what is summed up each day.
    var kind: String
    var unit: String
    /// Of the last days.
    var now: Double
    var days: Int
    /// Of the days before those; absent where there is nothing.
    var before: Double?
    var beforeDays: Int
    var text: String
  }

  var highlights: [Highlight]

  private static let subjects: [(HKQuantityTypeIdentifier, String)] = [
    (.heartRate, "Your heart rate"), (.restingHeartRate, "Your resting heart rate"),
    (.heartRateVariabilitySDNN, "Your heart-rate variability (SDNN)"),
    (.activeEnergyBurned, "The energy that you burned in motion"), (.stepCount, "Your steps"),
  ]
  private static let (days, beforeDays) = (7, 28)

  static func of(_ store: SystemStore, in zone: TimeZone, now: Date) async throws -> SummaryAnswer {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // Whole days: today is not over yet.
    let today = calendar.startOfDay(for: now)
    guard let week = calendar.date(byAdding: .day, value: -days, to: today),
      let before = calendar.date(byAdding: .day, value: -beforeDays, to: week)
    else { return SummaryAnswer(highlights: []) }
    var highlights: [Highlight] = []
    for (identifier, subject) in subjects {
      let type = HKQuantityType(identifier)
      guard let now = try await figure(of: type, in: DateInterval(start: week, end: today), days, store)
      else {
        continue
      }
      let earlier = try await figure(of: type, in: DateInterval(start: before, end: week), beforeDays, store)
      highlights.append(Highlight(type, subject, now, earlier, days, beforeDays))
    }
    return SummaryAnswer(highlights: highlights)
  }

  /// The average; of a sum, that of a day.
  private static func figure(
    of type: HKQuantityType, in span: DateInterval, _ days: Int, _ store: SystemStore
  ) async throws -> Double? {
    let selection = Selection(from: span.start, to: span.end, source: nil).predicate()
    let figures = try await store.healthStore.figures(of: type, selection)
    return figures.average ?? figures.sum.map { $0 / Double(days) }
  }
}

extension SummaryAnswer.Highlight {
  fileprivate init(
    _ type: HKQuantityType, _ subject: String, _ now: Double, _ before: Double?, _ days: Int,
    _ beforeDays: Int
  ) {
    let isSum = type.aggregationStyle == .cumulative
    let unit = type.displayUnit.unitString
    self.init(
      type: TypeName.short(type), kind: isSum ? "daily" : "average", unit: unit, now: now, days: days,
      before: before, beforeDays: beforeDays, text: "")
    let verb = subject == "Your steps" ? "were" : "was"
    let how = isSum ? "a day, on average of the last \(days) days" : "on average in the last \(days) days"
    text = "\(subject) \(verb) \(Self.words(now, unit)) \(how)"
    text +=
      before.map { "; in the \(beforeDays) days before, \(Self.words($0, unit))." }
      ?? "; of the \(beforeDays) days before there is nothing."
  }

  private static func words(_ value: Double, _ unit: String) -> String {
    let places = abs(value) < 100 ? 1 : 0
    let number = value.formatted(
      .number.precision(.fractionLength(0...places)).grouping(.never).locale(
        Locale(identifier: "en_US_POSIX")))
    switch unit {
    case "count/min": return "\(number) a minute"
    case "count": return number
    default: return "\(number) \(unit)"
    }
  }
}
