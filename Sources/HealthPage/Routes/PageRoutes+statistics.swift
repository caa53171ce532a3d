import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for statistics over a time range, as a whole or by interval, and for the points of
  /// charts.
  mutating func addStatistics(_ stores: StoreCache) {
    reads["/api/statistics"] = { request in
      let store = try stores.store(for: request).healthStore
      let (type, selection) = (try request.quantityType(), try request.choice())
      guard let every = request.parameters["every"] else {
        return try .json(try await Self.whole(type, selection, store))
      }
      return try .json(
        try await Self.intervals(
          type, selection, store, every: Interval(every), in: request.zone(), from: request.date("from")))
    }
    reads["/api/series"] = { request in
      guard let pixels = try request.count("pixels", in: 1...2000) else {
        throw PageError.argument("The parameter pixels is missing.")
      }
      return try .json(
        try await SeriesResponse.of(
          request.quantityType(), during: request.span(), pixels: pixels,
          from: request.parameters["source"], in: stores.store(for: request).healthStore))
    }
  }

  private static func whole(
    _ type: HKQuantityType, _ selection: Selection, _ store: HKHealthStore
  ) async throws -> StatisticsView {
    var response = try await store.figures(of: type, in: selection.window, withSources: true)
    guard response.count > 0 else { return response }
    response.latest = try await store.latest(of: type, selection.predicate())
    return response
  }

  /// Maximum number of intervals, because a chart cannot show more.
  private static let mostIntervals = 5000.0

  private static func intervals(
    _ type: HKQuantityType, _ selection: Selection, _ store: HKHealthStore, every interval: Interval,
    in zone: TimeZone, from asked: Date?
  ) async throws -> IntervalsResponse {
    let whole = try await store.figures(of: type, in: selection.window)
    var response = IntervalsResponse(unit: whole.unit, intervals: [])
    guard let start = whole.start, let end = whole.end else { return response }
    guard end.timeIntervalSince(start) / Double(interval.seconds) <= mostIntervals else {
      throw PageError.argument(
        "Too many intervals (more than 5,000). Choose a longer interval or a shorter range.")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // Count the intervals from the requested day, even if the first sample is later.
    let anchor = calendar.startOfDay(for: asked ?? start)
    response.intervals = try await store.figures(
      of: type, in: selection.window, from: anchor, every: interval.components(of: calendar))
    return response
  }
}

struct IntervalsResponse: Codable, Sendable {
  var unit: String
  var intervals: [StatisticsView]
}

/// The length of an interval, as in `hrgate stats --every`: `30s`, `1m`, `1h`, `1d`.
struct Interval: Sendable {
  /// The length in seconds. A day counts as 24 hours.
  let seconds: Int
  /// The length in days if it was given in days, otherwise `nil`.
  private let days: Int?

  private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  init(_ text: String) throws(PageError) {
    guard let unit = text.last.flatMap({ Self.units[$0] }), let count = Int(text.dropLast()), count > 0,
      count <= 1_000_000_000 / unit
    else { throw .argument("An interval is a whole number with s, m, h or d, such as 5m.") }
    seconds = count * unit
    days = text.last == "d" ? count : nil
  }

  /// Returns the length in calendar units, because a day on which the clocks change does not have 24 hours.
  func components(of calendar: Calendar) -> DateComponents {
    guard let days else { return DateComponents(second: seconds) }
    return DateComponents(calendar: calendar, timeZone: calendar.timeZone, day: days)
  }
}

extension PageRequest {
  /// Returns the time zone in the request's parameters, or UTC.
  func zone() throws(PageError) -> TimeZone {
    guard let name = parameters["zone"] else { return .gmt }
    guard let zone = TimeZone(identifier: name) else { throw .argument("There is no time zone \(name).") }
    return zone
  }
}
