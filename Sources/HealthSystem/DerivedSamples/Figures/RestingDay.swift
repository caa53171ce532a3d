import Foundation
import HealthKit
import HeartRateVariability

extension CalendarDay {
  var syncIdentifier: String { "\(DerivedSource.bundleIdentifier)/resting/\(name)" }

  /// The resting heart rate by the rule of `RestingHeartRate`, over the sources each by itself; nil where no
  /// five minutes count.
  ///
  /// - Parameters:
  ///   - rates: Of the day.
  ///   - workouts: Times that do not count.
  func figure(of rates: DayRates, excluding workouts: [Window]) -> DerivedFigure? {
    var lowest: (rest: RestingHeartRate, source: HKSource)?
    for (source, minutes) in rates.sources.sorted(by: { $0.key.bundleIdentifier < $1.key.bundleIdentifier }) {
      guard let rest = try? minutes.restingHeartRate(excluding: workouts) else { continue }
      let key = (rest.beatsPerMinute, rest.window.start)
      if lowest.map({ key < ($0.rest.beatsPerMinute, $0.rest.window.start) }) ?? true {
        lowest = (rest, source)
      }
    }
    guard let (rest, source) = lowest else { return nil }
    return DerivedFigure(
      kind: .restingHeartRate, syncIdentifier: syncIdentifier, value: rest.beatsPerMinute,
      start: Date(timeIntervalSince1970: rest.window.start),
      end: Date(timeIntervalSince1970: rest.window.end), device: nil,
      metadata: [DerivedSource.Key.origin: source.bundleIdentifier, HKMetadataKeyTimeZone: zone])
  }
}
