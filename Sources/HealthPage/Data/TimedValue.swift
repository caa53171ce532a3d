import Foundation
import HealthKit
import HealthSystem

/// A value and the time at which it was measured, in the unit shown to the user.
struct TimedValue: Codable, Sendable, Hashable {
  var value: Double
  var time: Date
}

extension HKHealthStore {
  /// Returns the lowest and the highest value of a discrete type, each with its time. If a value occurs
  /// several times, the earliest time is used.
  ///
  /// The store's hourly statistics show which hours contain these values. Only the samples of those hours are
  /// read, so the cost hardly grows with the range. The values are those of ``figures(of:in:withSources:)``.
  ///
  /// - Parameter selection: The time range and sources. It must have a start and an end.
  func extremes(
    of type: HKQuantityType, in selection: Selection
  ) async throws -> (lowest: TimedValue, highest: TimedValue)? {
    guard let from = selection.from, let to = selection.to, from < to else { return nil }
    let hour = 3600.0
    let anchor = Date(timeIntervalSince1970: (from.timeIntervalSince1970 / hour).rounded(.down) * hour)
    let hours = try await figures(
      of: type, in: selection.window, from: anchor, every: DateComponents(second: Int(hour)))
    guard
      let low = hours.min(by: { $0.min ?? .infinity < $1.min ?? .infinity })?.start,
      let high = hours.max(by: { $0.max ?? -.infinity < $1.max ?? -.infinity })?.start,
      let lowest = try await values(of: type, in: selection, from: low, to: low + hour)?.lowest,
      let highest = try await values(of: type, in: selection, from: high, to: high + hour)?.highest
    else { return nil }
    return (lowest, highest)
  }

  private func values(
    of type: HKQuantityType, in selection: Selection, from start: Date, to end: Date
  ) async throws -> (lowest: TimedValue, highest: TimedValue)? {
    let from = max(start, selection.from ?? start)
    let to = min(end, selection.to ?? end)
    let part = Selection(from: from, to: to, sources: selection.sources)
    return try await reduceQuantities(
      into: nil,
      HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: part.predicate([])),
      in: try await shownUnit(of: type)
    ) { found, quantity in
      let time = Date(timeIntervalSince1970: quantity.start)
      // Ignore values outside the time range, which a series that overlaps it may contain.
      guard time < to, Date(timeIntervalSince1970: quantity.end) >= from else { return }
      let value = TimedValue(value: quantity.value, time: max(time, from))
      guard let known = found else {
        found = (value, value)
        return
      }
      if (value.value, value.time) < (known.lowest.value, known.lowest.time) { found?.lowest = value }
      if (-value.value, value.time) < (-known.highest.value, known.highest.time) { found?.highest = value }
    }
  }
}
