import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Figures of a time, whole or by intervals, and what is drawn of it.
  mutating func addStatistics(_ shelf: StoreShelf) {
    reads["/api/statistics"] = { question in
      let store = try shelf.store(for: question).healthStore
      let (type, selection) = (try question.quantityType(), try question.selection())
      guard let every = question.parameters["every"] else {
        return try .json(try await Self.whole(type, selection, store))
      }
      return try .json(
        try await Self.intervals(
          type, selection, store, every: Interval(every), from: try question.midnight()))
    }
    reads["/api/series"] = { question in
      guard let pixels = try question.count("pixels", in: 1...2000) else {
        throw PageFault.argument("Say for how many pixels.")
      }
      return try .json(
        try await SeriesAnswer.of(
          question.quantityType(), during: question.span(), pixels: pixels,
          from: question.parameters["source"], in: shelf.store(for: question).healthStore))
    }
  }

  private static func whole(
    _ type: HKQuantityType, _ selection: NSPredicate?, _ store: HKHealthStore
  ) async throws -> StatisticsAnswer {
    var answer = try await store.figures(of: type, selection)
    guard answer.count > 0 else { return answer }
    answer.latest = try await store.latest(of: type, selection)
    answer.sources = try await store.sources(of: type, selection).map { SourceName($0) }
    return answer
  }

  /// More intervals nobody looks at.
  private static let mostIntervals = 5000.0

  private static func intervals(
    _ type: HKQuantityType, _ selection: NSPredicate?, _ store: HKHealthStore, every interval: Interval,
    from midnight: (Date) -> Date
  ) async throws -> IntervalsAnswer {
    let whole = try await store.figures(of: type, selection)
    var answer = IntervalsAnswer(type: whole.type, unit: whole.unit, intervals: [])
    guard let start = whole.start, let end = whole.end else { return answer }
    guard (end - start) / 1000 / Double(interval.seconds) <= mostIntervals else {
      throw PageFault.argument("That are more than 5000 intervals: ask for longer ones, or for less time.")
    }
    answer.intervals = try await store.figures(
      of: type, selection, from: midnight(Date(milliseconds: start)), every: interval.components)
    return answer
  }
}

struct IntervalsAnswer: Codable, Sendable {
  var type: String
  var unit: String
  var intervals: [StatisticsAnswer]
}

/// `30s`, `1m`, `1h`, `1d`: as `hrgate stats --every` takes them.
struct Interval: Sendable {
  let seconds: Int

  private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  init(_ text: String) throws(PageFault) {
    guard let unit = text.last.flatMap({ Self.units[$0] }), let count = Int(text.dropLast()), count > 0,
      count <= 1_000_000_000 / unit
    else { throw .argument("An interval is a whole number and one of s, m, h and d: 5m.") }
    seconds = count * unit
  }

  var components: DateComponents { DateComponents(second: seconds) }
}

extension Question {
  /// Where the day of a time began: in the zone that is named, or in UTC.
  fileprivate func midnight() throws(PageFault) -> @Sendable (Date) -> Date {
    guard let name = parameters["zone"] else {
      return { Date(timeIntervalSince1970: ($0.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400) }
    }
    guard let zone = TimeZone(identifier: name) else { throw .argument("There is no time zone \(name).") }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return { [calendar] in calendar.startOfDay(for: $0) }
  }
}
