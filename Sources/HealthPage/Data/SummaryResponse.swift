import Foundation
import HealthKit
import HealthSystem

/// Compares the last seven days with the 60 days before, for several types.
///
/// Days are compared, not samples: a strap that measures every second for an hour must not outweigh a watch
/// that measures every five minutes. Each day with measurements has the same weight, and so does each hour
/// with measurements in a day.
struct SummaryResponse: Codable, Sendable {
  /// The value of a type over several days.
  struct Figure: Codable, Sendable {
    /// The mean of the daily means; for cumulative types, the mean of the daily sums.
    var value: Double
    /// Number of days that have measurements.
    var measured: Int
  }

  struct Highlight: Codable, Sendable {
    var type: String
    /// `average` for the mean over the days, or `daily` for the sum per day of a cumulative type.
    var kind: String
    var unit: String
    /// The value of the last seven days, excluding today.
    var now: Figure
    var days: Int
    /// The value of the 60 days before; absent if they have no measurements.
    var before: Figure?
    var beforeDays: Int
    /// The last days and the user's normal range, by the values of single days; absent if too few days have
    /// measurements.
    var normal: NormalRange?
  }

  var highlights: [Highlight]

  static let usual = [
    HKQuantityTypeIdentifier.heartRate, .restingHeartRate, .heartRateVariabilitySDNN, .activeEnergyBurned,
    .stepCount,
  ].map { HKQuantityType($0) }
  private static let (days, beforeDays) = (NormalRangesResponse.days, NormalRangesResponse.before)

  static func of(
    _ store: SystemStore, _ types: [HKQuantityType] = usual, in zone: TimeZone, now: Date
  ) async throws -> SummaryResponse {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // Use only complete days, which excludes today.
    let today = calendar.startOfDay(for: now)
    guard let week = calendar.date(byAdding: .day, value: -days, to: today),
      let before = calendar.date(byAdding: .day, value: -beforeDays, to: week)
    else { return SummaryResponse(highlights: []) }
    var highlights: [Highlight] = []
    for type in types {
      let parts = try await DailyFigures.of(
        type, in: DateInterval(start: before, end: today), calendar, store.healthStore)
      guard let now = parts.figure(from: week, to: today) else { continue }
      let isSum = type.aggregationStyle == .cumulative
      var normal = NormalRange(parts.values(from: before, to: week), parts.values(from: week, to: today))
      if isSum, let low = normal?.low { normal?.low = max(0, low) }
      highlights.append(
        Highlight(
          type: TypeName.short(type), kind: isSum ? "daily" : "average",
          unit: parts.unit, now: now, days: days, before: parts.figure(from: before, to: week),
          beforeDays: beforeDays,
          normal: normal))
    }
    return SummaryResponse(highlights: highlights)
  }
}

/// The value for each day in a time range.
private struct DailyFigures {
  let unit: String
  /// The values by the starts of their days.
  let values: [Date: Double]

  static func of(
    _ type: HKQuantityType, in span: DateInterval, _ calendar: Calendar, _ store: HKHealthStore
  ) async throws -> DailyFigures {
    let window = FiguresWindow(from: span.start, to: span.end, sources: nil)
    let isSum = type.aggregationStyle == .cumulative
    // Compute sums per day instead of per hour, because hourly steps would split samples that cross an hour.
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

  /// Returns the value over the days in a range.
  /// - Returns: `nil` if there are no measurements.
  func figure(from start: Date, to end: Date) -> SummaryResponse.Figure? {
    let found = values(from: start, to: end)
    guard !found.isEmpty else { return nil }
    return SummaryResponse.Figure(value: found.reduce(0, +) / Double(found.count), measured: found.count)
  }

  /// Returns the values of the days in a range.
  func values(from start: Date, to end: Date) -> [Double] {
    values.filter { $0.key >= start && $0.key < end }.map(\.value)
  }
}
