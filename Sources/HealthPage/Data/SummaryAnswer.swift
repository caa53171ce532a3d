import Foundation
import HealthKit
import HealthSystem

/// The last days against the ones before, by type.
///
/// Days are compared, and not samples: a strap that measures each second for an hour says no more of a week
/// than a watch that measures every five minutes. Each day in which there is something counts the same, and
/// within a day each hour does.
struct SummaryAnswer: Codable, Sendable {
  /// Of some days.
  struct Figure: Codable, Sendable {
    /// The mean of the days' means; of a sum, that of the days' sums.
    var value: Double
    /// How many days have one.
    var measured: Int
  }

  struct Highlight: Codable, Sendable {
    var type: String
    /// `average`, or `daily` for what is summed up each day.
    var kind: String
    var unit: String
    /// Of the last days, today not among them.
    var now: Figure
    var days: Int
    /// Of the days before those; absent where there is nothing.
    var before: Figure?
    var beforeDays: Int
  }

  var highlights: [Highlight]

  static let usual = [
    HKQuantityTypeIdentifier.heartRate, .restingHeartRate, .heartRateVariabilitySDNN, .activeEnergyBurned,
    .stepCount,
  ].map { HKQuantityType($0) }
  private static let (days, beforeDays) = (7, 28)

  static func of(
    _ store: SystemStore, _ types: [HKQuantityType] = usual, in zone: TimeZone, now: Date
  ) async throws -> SummaryAnswer {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // Whole days: today is not over yet.
    let today = calendar.startOfDay(for: now)
    guard let week = calendar.date(byAdding: .day, value: -days, to: today),
      let before = calendar.date(byAdding: .day, value: -beforeDays, to: week)
    else { return SummaryAnswer(highlights: []) }
    var highlights: [Highlight] = []
    for type in types {
      let parts = try await DailyFigures.of(
        type, in: DateInterval(start: before, end: today), calendar, store.healthStore)
      guard let now = parts.figure(from: week, to: today) else { continue }
      highlights.append(
        Highlight(
          type: TypeName.short(type), kind: type.aggregationStyle == .cumulative ? "daily" : "average",
          unit: parts.unit, now: now, days: days, before: parts.figure(from: before, to: week),
          beforeDays: beforeDays))
    }
    return SummaryAnswer(highlights: highlights)
  }
}

/// What each day of a time was like.
private struct DailyFigures {
  let unit: String
  /// By the day's beginning.
  let values: [Date: Double]

  static func of(
    _ type: HKQuantityType, in span: DateInterval, _ calendar: Calendar, _ store: HKHealthStore
  ) async throws -> DailyFigures {
    let window = FiguresWindow(from: span.start, to: span.end, sources: nil)
    let isSum = type.aggregationStyle == .cumulative
    // Of a sum the day's is exact, whatever lies over the end of an hour.
    let step = isSum ? DateComponents(calendar: calendar, day: 1) : DateComponents(hour: 1)
    let figures = try await store.figures(of: type, in: window, from: span.start, every: step)
    var parts: [Date: [Double]] = [:]
    for figure in figures {
      guard let start = figure.start, let value = figure.average ?? figure.sum else { continue }
      parts[calendar.startOfDay(for: start), default: []].append(value)
    }
    return DailyFigures(
      unit: try await store.shownUnit(of: type).unitString,
      values: parts.mapValues { $0.reduce(0, +) / Double($0.count) })
  }

  /// - Returns: `nil` where there is nothing.
  func figure(from start: Date, to end: Date) -> SummaryAnswer.Figure? {
    let found = values.filter { $0.key >= start && $0.key < end }.values
    guard !found.isEmpty else { return nil }
    return SummaryAnswer.Figure(value: found.reduce(0, +) / Double(found.count), measured: found.count)
  }
}
