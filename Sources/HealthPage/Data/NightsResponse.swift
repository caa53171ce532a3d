import Foundation
import HealthKit
import HealthSystem

/// The nights in a range of days, as ``SleepNights`` determines them.
struct NightsResponse: Codable, Sendable {
  struct Part: Codable, Sendable, Hashable {
    /// The stage of sleep: `awake`, `rem`, `core`, `deep` or `unspecified`. Absent if the period is the time
    /// in bed or the time asleep.
    var stage: SleepStage?
    var start: Date
    var end: Date
  }

  struct Nap: Codable, Sendable {
    var start: Date
    var end: Date
    /// The time asleep in seconds.
    var asleep: Double
  }

  struct Night: Codable, Sendable {
    /// The start of the day to which the night belongs. This is usually the day on which the user woke up.
    var from: Date
    // The start of the first sample and the end of the last, whether in bed or asleep.
    var start: Date
    var end: Date
    /// The time from falling asleep to the last awakening. Absent if only time in bed is known.
    var asleep: Part?
    /// The bundle identifier of the source that recorded the stages.
    var source: String?
    var name: String?
    /// The stages in chronological order, without overlaps.
    var stages: [Part]
    var inBed: [Part]
    /// The number of seconds by stage. `asleep` is the sum of all stages of sleep.
    var seconds: [String: Double]
    var naps: [Nap]
    /// The lowest heart rate of the night. Present only if requested.
    var lowest: TimedValue?
  }

  /// The unit of ``Night/lowest``.
  var unit: String
  /// The nights, latest first.
  var nights: [Night]

  /// Maximum number of days in one request.
  static let mostDays = 400.0

  /// Returns the nights in a range of days.
  /// - Parameters:
  ///   - span: The days, from the start of the first to the end of the last.
  ///   - withLowest: Whether to find the lowest heart rate of each night.
  static func of(
    _ store: HKHealthStore, during span: DateInterval, in zone: TimeZone, withLowest: Bool
  ) async throws -> NightsResponse {
    guard span.duration <= mostDays * 86_400 else {
      throw PageError.argument("Too many nights (more than \(Int(mostDays))). Choose a shorter range.")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // Sleep that ends on the first day may have begun two days earlier. Sleep that ends after 18:00 on the
    // last day belongs to the next day.
    let around = Selection(from: span.start - 2 * 86_400, to: span.end + 86_400, sources: [])
    let samples = try await store.reduceSamples(
      into: [SleepNights.Sample](),
      [.categorySample(type: HKCategoryType(.sleepAnalysis), predicate: around.predicate([]))]
    ) { samples, sample in
      guard let stage = SleepStage(sample) else { return }
      samples.append(
        SleepNights.Sample(
          stage: stage, start: sample.startDate, end: sample.endDate,
          source: sample.sourceRevision.source))
    }
    let unit = try await store.shownUnit(of: HKQuantityType(.heartRate))
    var response = NightsResponse(unit: unit.unitString, nights: [])
    for (day, periods) in SleepNights(samples, in: calendar).days.sorted(by: { $0.key > $1.key }) {
      guard day >= span.start, day < span.end, let place = SleepNights.night(among: periods) else { continue }
      var night = Night(of: periods, at: place, from: day)
      if withLowest {
        let window = Selection(from: night.start, to: night.end, sources: [])
        night.lowest = try await store.extremes(of: HKQuantityType(.heartRate), in: window)?.lowest
      }
      response.nights.append(night)
    }
    return response
  }
}

extension NightsResponse.Night {
  fileprivate init(of periods: [SleepNights.Period], at place: Int, from day: Date) {
    let period = periods[place]
    (from, start, end) = (day, period.start, period.end)
    (source, name) = (period.source?.bundleIdentifier, period.source?.name)
    stages = period.stages.map { NightsResponse.Part($0) }
    inBed = period.inBed.map { NightsResponse.Part(start: $0.start, end: $0.end) }
    let sleep = period.stages.filter(\.stage.isAsleep)
    if let first = sleep.first, let last = sleep.last {
      asleep = NightsResponse.Part(start: first.start, end: last.end)
    }
    seconds = Dictionary(uniqueKeysWithValues: period.seconds.map { ($0.key.rawValue, $0.value) })
    if !sleep.isEmpty { seconds["asleep"] = period.asleep }
    naps = periods.enumerated().filter { $0.offset != place }.map { _, nap in
      NightsResponse.Nap(start: nap.start, end: nap.end, asleep: nap.asleep)
    }
  }
}

extension NightsResponse.Part {
  fileprivate init(_ part: SleepNights.Part) {
    (stage, start, end) = (part.stage, part.start, part.end)
  }
}
