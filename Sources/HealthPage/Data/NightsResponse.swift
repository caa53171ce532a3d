import Foundation
import HealthKit
import HealthSystem

/// The nights of some days, by the rule of ``SleepNights``.
struct NightsResponse: Codable, Sendable {
  struct Part: Codable, Sendable, Hashable {
    /// `awake`, `rem`, `core`, `deep` or `unspecified`. Absent for time in bed and time asleep.
    var stage: SleepStage?
    var start: Date
    var end: Date
  }

  struct Nap: Codable, Sendable {
    var start: Date
    var end: Date
    /// Seconds.
    var asleep: Double
  }

  struct Night: Codable, Sendable {
    /// The start of the day to which the night belongs: mostly that on which its sleeper woke.
    var from: Date
    // The first sample's start and the last one's end, in bed or asleep.
    var start: Date
    var end: Date
    /// From falling asleep to the last waking; absent if only time in bed is known.
    var asleep: Part?
    /// The source of the stages.
    var source: String?
    var name: String?
    /// In order of time, without overlaps.
    var stages: [Part]
    var inBed: [Part]
    /// Seconds in each stage that the night has; `asleep` is the sum of those in which the user slept.
    var seconds: [String: Double]
    var naps: [Nap]
    /// The lowest heart rate of the night, on request.
    var lowest: TimedValue?
  }

  /// The unit of ``Night/lowest``.
  var unit: String
  /// The latest first.
  var nights: [Night]

  /// Maximum number of days in one request.
  static let mostDays = 400.0

  /// - Parameters:
  ///   - span: The days, from the start of the first to the end of the last.
  ///   - withLowest: Whether to look for the lowest heart rate of each night.
  static func of(
    _ store: HKHealthStore, during span: DateInterval, in zone: TimeZone, withLowest: Bool
  ) async throws -> NightsResponse {
    guard span.duration <= mostDays * 86_400 else {
      throw PageError.argument("Too many nights (more than \(Int(mostDays))). Choose a shorter range.")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // A period of the first day may have begun two days before, and one of the last day's evening is the
    // next day's.
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
    var answer = NightsResponse(unit: unit.unitString, nights: [])
    for (day, periods) in SleepNights(samples, in: calendar).days.sorted(by: { $0.key > $1.key }) {
      guard day >= span.start, day < span.end, let place = SleepNights.night(among: periods) else { continue }
      var night = Night(of: periods, at: place, from: day)
      if withLowest {
        let window = Selection(from: night.start, to: night.end, sources: [])
        night.lowest = try await store.extremes(of: HKQuantityType(.heartRate), in: window)?.lowest
      }
      answer.nights.append(night)
    }
    return answer
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
