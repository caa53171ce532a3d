import Foundation
import HealthKit
import HeartRateVariability

extension CalendarDay {
  var syncIdentifier: String { "\(DerivedSource.bundleIdentifier)/resting/\(name)" }

  /// The resting heart rate by the rule of `RestingHeartRate`, over the sources each by itself; nil where no
  /// five minutes count.
  ///
  /// - Parameters:
  ///   - sources: The heart rates of the day and of the seconds before it in which one may still hold.
  ///   - workouts: Times that do not count.
  func figure(of sources: [HKSource: HeartRateSeries], excluding workouts: [Window]) -> DerivedFigure? {
    guard let day = Window(start: start, end: end) else { return nil }
    var lowest: (rest: RestingHeartRate, source: HKSource)?
    for (source, series) in sources.sorted(by: { $0.key.bundleIdentifier < $1.key.bundleIdentifier }) {
      guard let rest = try? series.restingHeartRate(in: day, excluding: workouts) else { continue }
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
