import Foundation
import HealthKit
import HealthSystem

/// The points of a chart. If there are few samples, it contains all of them, otherwise the statistics of each
/// step of the chart. The minimum and maximum of a step cover all of its samples, so no spike is lost,
/// however long the range is.
///
/// A chart has thousands of points, so they are arrays of numbers, with times in milliseconds since 1970. As
/// objects with ISO 8601 times they would be six times as large, and slower to parse.
struct SeriesResponse: Codable, Sendable {
  enum Form: String, Codable, Sendable {
    case samples
    case ranges
  }

  var form: Form
  var unit: String
  /// The statistics of the whole range, computed from all samples.
  var statistics: StatisticsView

  // MARK: - Steps. Step i is [start + i · step, start + (i + 1) · step), in milliseconds

  var start: Double?
  var step: Double?
  var low: [Double?]?
  var high: [Double?]?
  /// The averages, rounded to three decimal places.
  var average: [Double?]?
  var sum: [Double?]?
  var count: [Int]?

  // MARK: - Samples in chronological order

  var sources: [SourceName]?
  var time: [Double]?
  /// The end times of the samples. Absent if no sample has a duration.
  var end: [Double]?
  var value: [Double]?
  /// For each sample, the index of its source in `sources`.
  var from: [Int]?

  private init(_ form: Form, _ statistics: StatisticsView) {
    (self.form, unit, self.statistics) = (form, statistics.unit, statistics)
  }
}

extension SeriesResponse {
  static func of(
    _ type: HKQuantityType, during span: DateInterval, pixels: Int, from source: String?,
    in store: HKHealthStore
  ) async throws -> SeriesResponse {
    let selection = Selection(from: span.start, to: span.end, source: source)
    let statistics = try await store.figures(of: type, in: selection.window)
    guard statistics.count > 2 * pixels else {
      return try await samples(of: type, span, selection.predicate([]), statistics, store)
    }
    return try await ranges(of: type, span, selection.window, Step(span, pixels: pixels), statistics, store)
  }

  private static func samples(
    of type: HKQuantityType, _ span: DateInterval, _ predicate: NSPredicate?, _ statistics: StatisticsView,
    _ store: HKHealthStore
  ) async throws -> SeriesResponse {
    let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: predicate)
    let unit = try await store.shownUnit(of: type)
    // A cumulative sample, such as steps, is drawn as a whole. In a discrete series, each quantity is a
    // separate value.
    var values =
      if type.aggregationStyle == .cumulative {
        try await store.reduceSamples(into: [Value](), [samples]) { values, sample in
          values.append(
            Value(
              sample.startDate.milliseconds, sample.endDate.milliseconds,
              sample.quantity.doubleValue(for: unit), sample.sourceRevision.source))
        }
      } else {
        try await store.reduceQuantities(into: [Value](), samples, in: unit) { values, quantity in
          values.append(
            Value(quantity.start * 1000, quantity.end * 1000, quantity.value, quantity.source))
        }
      }
    // A long sample that overlaps the range may contain quantities outside the range.
    values.removeAll { !$0.isPart(of: span) }
    var response = SeriesResponse(.samples, statistics)
    let sources = Set(values.map(\.source)).byName
    let places = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ($1, $0) })
    response.sources = sources.map { SourceName($0) }
    response.time = values.map(\.start)
    response.end = values.contains { $0.end > $0.start } ? values.map(\.end) : nil
    response.value = values.map(\.value)
    response.from = values.map { places[$0.source] ?? 0 }
    return response
  }

  private struct Value: Sendable {
    let start: Double
    let end: Double
    let value: Double
    let source: HKSource

    init(_ start: Double, _ end: Double, _ value: Double, _ source: HKSource) {
      (self.start, self.end, self.value, self.source) = (start, end, value, source)
    }

    func isPart(of span: DateInterval) -> Bool {
      let from = span.start.milliseconds
      return start < span.end.milliseconds && (start >= from || end > from)
    }
  }

  private static func ranges(
    of type: HKQuantityType, _ span: DateInterval, _ window: FiguresWindow, _ step: Step,
    _ statistics: StatisticsView, _ store: HKHealthStore
  ) async throws -> SeriesResponse {
    let intervals = try await store.figures(
      of: type, in: window, from: step.start, every: DateComponents(second: step.seconds))
    var response = SeriesResponse(.ranges, statistics)
    response.start = step.start.milliseconds
    response.step = Double(step.seconds) * 1000
    let none = [Double?](repeating: nil, count: step.count)
    var (low, high, average, sum) = (none, none, none, none)
    var count = [Int](repeating: 0, count: step.count)
    for interval in intervals {
      guard let start = interval.start, let place = step.place(of: start) else { continue }
      (low[place], high[place]) = (interval.min, interval.max)
      average[place] = interval.average.map { ($0 * 1000).rounded() / 1000 }
      sum[place] = interval.sum
      count[place] = interval.count
    }
    response.count = count
    if type.aggregationStyle == .cumulative {
      response.sum = sum
    } else {
      (response.low, response.high, response.average) = (low, high, average)
    }
    return response
  }
}

/// Divides a time range into steps of equal length, at most one per pixel of the chart.
struct Step: Sendable, Hashable {
  let start: Date
  let seconds: Int
  let count: Int

  init(_ span: DateInterval, pixels: Int) {
    let least = max(1, Int((span.duration / Double(pixels)).rounded(.up)))
    // The store caches statistics of whole hours. If a step would be 15 minutes or longer, use whole hours
    // instead: the chart is coarser, but no samples have to be read.
    seconds = least < 900 ? least : (least + 3599) / 3600 * 3600
    let unit = seconds < 3600 ? 1.0 : 3600
    let first = (span.start.timeIntervalSince1970 / unit).rounded(.down) * unit
    start = Date(timeIntervalSince1970: first)
    count = Int(((span.end.timeIntervalSince1970 - first) / Double(seconds)).rounded(.up))
  }

  func place(of date: Date) -> Int? {
    let place = Int((date.timeIntervalSince(start) / Double(seconds)).rounded(.down))
    return (0..<count).contains(place) ? place : nil
  }
}

extension Date {
  /// The time in milliseconds since 1970, rounded to microseconds, for use in long arrays.
  var milliseconds: Double { (timeIntervalSince1970 * 1e6).rounded() / 1000 }
}
