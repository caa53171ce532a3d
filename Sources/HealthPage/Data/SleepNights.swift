import Foundation
import HealthKit

/// A stage of sleep. The raw value is its name in JSON.
enum SleepStage: String, Codable, Sendable, CaseIterable {
  case awake, deep, rem, core, unspecified, inBed

  init?(_ sample: HKCategorySample) {
    switch HKCategoryValueSleepAnalysis(rawValue: sample.value) {
    case .inBed: self = .inBed
    case .awake: self = .awake
    case .asleepCore: self = .core
    case .asleepDeep: self = .deep
    case .asleepREM: self = .rem
    case .asleepUnspecified: self = .unspecified
    default: return nil
    }
  }

  var isAsleep: Bool { self != .awake && self != .inBed }
  /// Whether this stage is reported only by sources that distinguish stages of sleep.
  var isDetailed: Bool { [.deep, .rem, .core].contains(self) }
}

/// Groups sleep samples into nights.
///
/// - Sleep samples with breaks of at most two hours between them form one period, regardless of their
///   sources. A period is never split at midnight.
/// - A period belongs to the calendar day, in the user's time zone, on which it ends. A period that ends at
///   18:00 or later belongs to the next day.
/// - The longest period of a day, by time asleep, is its night. The others are naps.
/// - The stages of a period are those of one source: the one with the most time in detailed stages (REM,
///   core, deep) or, if that is a tie, the most time asleep. If its samples overlap, the stage at an instant
///   is the first of awake, deep, REM, core and unspecified.
/// - Time in bed is that of all sources. Each instant counts once.
/// - Durations are elapsed time. A night in which the clocks are set back is an hour longer than the clocks
///   show.
struct SleepNights: Sendable {
  /// Maximum break between two samples of a period, in seconds.
  static let longestBreak = 7200.0
  /// The hour at or after which a period counts toward the next day.
  static let firstHourOfNextDay = 18

  struct Sample: Sendable, Hashable {
    let stage: SleepStage
    let start: Date
    let end: Date
    let source: HKSource
  }

  /// A time span in which the stage does not change.
  struct Part: Sendable, Hashable {
    let stage: SleepStage
    let start: Date
    var end: Date
    var duration: TimeInterval { end.timeIntervalSince(start) }
  }

  struct Period: Sendable {
    let start: Date
    let end: Date
    /// The source of the stages; `nil` if only time in bed is known.
    let source: HKSource?
    /// The stages in chronological order, without overlaps.
    let stages: [Part]
    let inBed: [Part]

    var asleep: TimeInterval { stages.filter(\.stage.isAsleep).reduce(0) { $0 + $1.duration } }
    /// The number of seconds in each stage that occurs.
    var seconds: [SleepStage: TimeInterval] {
      (stages + inBed).reduce(into: [:]) { $0[$1.stage, default: 0] += $1.duration }
    }
  }

  /// The periods of sleep that belong to each day, in chronological order. The keys are the starts of the
  /// days.
  let days: [Date: [Period]]

  /// Groups samples into nights.
  /// - Parameter samples: The sleep samples, ordered by start.
  init(_ samples: [Sample], in calendar: Calendar) {
    var days: [Date: [Period]] = [:]
    for period in Self.periods(of: samples) {
      guard let day = Self.day(ofPeriodEndingAt: period.end, calendar) else { continue }
      days[day, default: []].append(period)
    }
    self.days = days
  }

  /// Returns the index of the night among the periods of a day: the period with the most time asleep.
  static func night(among periods: [Period]) -> Int? {
    periods.indices.max { first, second in
      func length(_ place: Int) -> (TimeInterval, TimeInterval) {
        (periods[place].asleep, periods[place].end.timeIntervalSince(periods[place].start))
      }
      return length(first) < length(second)
    }
  }

  /// Returns the start of the day to which a period belongs.
  static func day(ofPeriodEndingAt end: Date, _ calendar: Calendar) -> Date? {
    let day = calendar.startOfDay(for: end)
    guard calendar.component(.hour, from: end) >= firstHourOfNextDay else { return day }
    return calendar.date(byAdding: .day, value: 1, to: day).map { calendar.startOfDay(for: $0) }
  }

  private static func periods(of samples: [Sample]) -> [Period] {
    var groups: [[Sample]] = []
    var end = Date.distantPast
    for sample in samples {
      if groups.isEmpty || sample.start.timeIntervalSince(end) > longestBreak {
        groups.append([])
        end = sample.end
      }
      groups[groups.count - 1].append(sample)
      end = max(end, sample.end)
    }
    return groups.compactMap { Period($0) }
  }
}

extension SleepNights.Period {
  fileprivate init?(_ samples: [SleepNights.Sample]) {
    guard let start = samples.map(\.start).min(), let end = samples.map(\.end).max() else { return nil }
    let candidates = Dictionary(grouping: samples.filter { $0.stage != .inBed }, by: \.source)
      .map { (source: $0.key, stages: SleepNights.Part.flattened($0.value)) }
    let best = candidates.max { first, second in
      func rank(_ parts: [SleepNights.Part]) -> (TimeInterval, TimeInterval) {
        func sum(_ isCounted: (SleepStage) -> Bool) -> TimeInterval {
          parts.filter { isCounted($0.stage) }.reduce(0) { $0 + $1.duration }
        }
        return (sum(\.isDetailed), sum(\.isAsleep))
      }
      let (low, high) = (rank(first.stages), rank(second.stages))
      return low == high ? first.source.bundleIdentifier > second.source.bundleIdentifier : low < high
    }
    self.init(
      start: start, end: end, source: best?.source, stages: best?.stages ?? [],
      inBed: SleepNights.Part.flattened(samples.filter { $0.stage == .inBed }))
  }
}

extension SleepNights.Part {
  /// Converts samples to spans without overlaps. If samples overlap, the stage that comes first in
  /// ``SleepStage`` wins.
  fileprivate static func flattened(_ samples: [SleepNights.Sample]) -> [SleepNights.Part] {
    let changes = samples.filter { $0.end > $0.start }
      .flatMap { [(time: $0.start, stage: $0.stage, by: 1), (time: $0.end, stage: $0.stage, by: -1)] }
      .sorted { $0.time < $1.time }
    var open: [SleepStage: Int] = [:]
    var parts: [SleepNights.Part] = []
    for (place, change) in changes.enumerated() {
      open[change.stage, default: 0] += change.by
      guard place + 1 < changes.count, changes[place + 1].time > change.time,
        let stage = SleepStage.allCases.first(where: { open[$0, default: 0] > 0 })
      else { continue }
      let end = changes[place + 1].time
      if let last = parts.last, last.stage == stage, last.end == change.time {
        parts[parts.count - 1].end = end
      } else {
        parts.append(SleepNights.Part(stage: stage, start: change.time, end: end))
      }
    }
    return parts
  }
}
