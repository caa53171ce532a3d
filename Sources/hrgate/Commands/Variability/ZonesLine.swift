import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// What `hrgate zones --json` prints for a source. The names are a promise.
struct ZonesLine: Encodable {
  var source: String
  var start: String
  var end: String
  /// Seconds in which the heart rate is known.
  var known: Double
  var zones: [ZoneTime]
  var edwards: Double?
  var banister: Double?

  /// - Returns: `nil` where there is no reading.
  init?(
    _ series: HeartRateSeries, _ bounds: HeartRateZones, _ source: HKSource, maximum: Double?,
    impulse: TrainingImpulse?
  ) {
    guard let first = series.readings.first, let last = series.readings.last,
      let window = Window(start: first.time, end: last.time + series.longestHold)
    else { return nil }
    self.source = source.bundleIdentifier
    start = Timestamp.text(Date(timeIntervalSince1970: window.start))
    end = Timestamp.text(Date(timeIntervalSince1970: window.end))
    known = series.knownTime(in: window)
    zones = ZoneTime.all(of: series, in: bounds, during: window)
    edwards = maximum.flatMap { series.summatedZones(maximum: $0, during: window) }
    banister = impulse.map { series.trainingImpulse($0, during: window) }
  }

  /// Lines for a person.
  func text(_ source: HKSource) -> [String] {
    let rows = zones.map { zone in
      [
        "zone \(zone.zone)", zone.lower.map(Self.rate) ?? "", "–", zone.upper.map(Self.rate) ?? "",
        Self.minutes(zone.seconds), ProgressBar.text(known > 0 ? zone.seconds / known : 0),
      ]
    }
    let impulses = [("Edwards", edwards), ("Banister", banister)].compactMap { name, impulse in
      impulse.map { "\(name)  \(($0 * 10).rounded() / 10)" }
    }
    return ["\(source.name.plain)  \(source.bundleIdentifier.plain)  \(start) – \(end)"]
      + TextTable.lines(rows, right: [1, 3, 4]) + impulses
  }

  private static func rate(_ rate: Double) -> String { "\((rate * 10).rounded() / 10)" }

  private static func minutes(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    return "\(whole / 60) min \(whole % 60) s"
  }
}
