package import Foundation
package import HealthKit
import HealthStorage

/// A period for which the command line and the page show statistics. If a sample crosses a bound, only the
/// part inside the period counts, so the sums of seven days add up to the sum of the week.
package struct FiguresWindow {
  /// The start, rounded to microseconds, or nil if the period has no start.
  package let from: Date?
  /// The end, rounded to microseconds, or nil if the period has no end. A sample that starts at the end is
  /// outside.
  package let to: Date?
  /// A predicate on the sources, or nil for all sources.
  package let sources: NSPredicate?

  /// Creates a period. The dates are rounded to microseconds.
  package init(from: Date?, to: Date?, sources: NSPredicate?) {
    func rounded(_ date: Date) -> Date { Microseconds.date(Microseconds.clamped(date)) }
    (self.from, self.to, self.sources) = (from.map(rounded), to.map(rounded), sources)
  }

  /// Returns a predicate for the samples in the period, or nil if it matches all samples.
  /// - Parameter options: Determine which samples count as in the period. By default, all that overlap it do.
  package func predicate(_ options: HKQueryOptions) -> NSPredicate? { predicate(from, to, options) }

  private func predicate(_ from: Date?, _ to: Date?, _ options: HKQueryOptions = []) -> NSPredicate? {
    var parts: [NSPredicate] = []
    if from != nil || to != nil {
      parts.append(HKQuery.predicateForSamples(withStart: from, end: to, options: options))
    }
    if let sources { parts.append(sources) }
    return parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
  }

  /// Returns a predicate for the samples that overlap the period extended by `reach` seconds on both sides.
  fileprivate func touching(near reach: TimeInterval) -> NSPredicate? {
    predicate(from.map { $0 - reach }, to.map { $0 + reach })
  }

  /// Returns the part of an interval that is inside the period, or nil if the whole interval is inside. The
  /// part may be empty.
  fileprivate func part(from start: Date, to end: Date) -> FiguresWindow? {
    let (from, to) = (max(start, from ?? start), min(end, to ?? end))
    return from == start && to == end ? nil : FiguresWindow(from: from, to: max(from, to), sources: sources)
  }

  /// Returns predicates for the samples that start before a bound and end after it.
  fileprivate func crossing(_ bound: Date?) -> [NSPredicate] {
    // Times have microsecond resolution, so such a sample ends at least one microsecond after the bound.
    [bound.flatMap { predicate($0 + 1e-6, $0) }].compactMap(\.self)
  }

  /// Returns predicates for the samples that are outside the period, but within `reach` seconds of a bound.
  fileprivate func outside(near reach: TimeInterval) -> [NSPredicate] {
    guard reach > 0 else { return [] }
    return [from.flatMap { predicate($0 - reach, $0) }, to.flatMap { predicate($0, $0 + reach) }]
      .compactMap(\.self)
  }
}

/// The statistics of a ``FiguresWindow``.
package struct WindowStatistics: Sendable {
  /// The statistics of the samples in the period.
  package let statistics: HKStatistics
  /// The start of the first sample, or of the period if that is later. For statistics of an interval, its
  /// start.
  package let start: Date
  /// The end of the last sample, or of the period if that is earlier. For statistics of an interval, its end.
  package let end: Date
}

extension HKHealthStore {
  /// Returns the statistics of a period, or nil if no sample overlaps it.
  package func statistics(
    of type: HKQuantityType, in window: FiguresWindow, _ options: HKStatisticsOptions
  ) async throws -> WindowStatistics? {
    // No sample overlaps an empty period.
    if let from = window.from, let to = window.to, from >= to { return nil }
    let beginning = try await statistics(of: type, window.predicate(.strictStartDate), options)
    let before = try await lastEnd(of: type, window.crossing(window.from))
    let after = try await lastEnd(of: type, window.crossing(window.to))
    var outside = before ?? after
    if outside == nil { outside = try await lastEnd(of: type, window.outside(near: type.reach)) }
    guard outside != nil else {
      return beginning.map { WindowStatistics(statistics: $0, start: $0.startDate, end: $0.endDate) }
    }
    let predicate = HKSamplePredicate<HKQuantitySample>.quantitySample(
      type: type, predicate: window.touching(near: type.reach))
    let inside = try await HKStatisticsQueryDescriptor(predicate: predicate, options: options)
      .result(for: self, from: window.from, to: window.to)
    let last = [beginning?.endDate, before, after].compactMap(\.self).max()
    guard let inside, let first = before == nil ? beginning?.startDate : window.from, let last else {
      return nil
    }
    return WindowStatistics(statistics: inside, start: first, end: min(last, window.to ?? last))
  }

  /// Returns the statistics of each interval, such as each day, that has samples in the period. If an
  /// interval extends beyond the period, only the part inside counts.
  /// - Returns: Statistics with the bounds of their intervals, in order.
  package func statistics(
    of type: HKQuantityType, in window: FiguresWindow, _ options: HKStatisticsOptions, from anchor: Date,
    every components: DateComponents
  ) async throws -> [WindowStatistics] {
    let intervals = try await HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: type, predicate: window.touching(near: type.reach)), options: options,
      anchorDate: anchor, intervalComponents: components
    ).result(for: self).statistics()
    var found: [WindowStatistics] = []
    for interval in intervals {
      let (start, end) = (interval.startDate, interval.endDate)
      var statistics: HKStatistics? = interval
      // A statistics collection splits samples at the bounds of intervals, but not at those of the period.
      if let part = window.part(from: start, to: end) {
        statistics = try await self.statistics(of: type, in: part, options)?.statistics
      }
      if let statistics { found.append(WindowStatistics(statistics: statistics, start: start, end: end)) }
    }
    return found
  }

  private func statistics(
    of type: HKQuantityType, _ predicate: NSPredicate?, _ options: HKStatisticsOptions
  ) async throws -> HKStatistics? {
    do {
      let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: predicate)
      return try await HKStatisticsQueryDescriptor(predicate: samples, options: options).result(for: self)
    } catch HKError.errorNoData {
      return nil
    }
  }

  /// Returns the latest end date of the samples that match one of the predicates.
  private func lastEnd(of type: HKQuantityType, _ predicates: [NSPredicate]) async throws -> Date? {
    guard !predicates.isEmpty else { return nil }
    return try await HKSampleQueryDescriptor(
      predicates: predicates.map { HKSamplePredicate.quantitySample(type: type, predicate: $0) },
      sortDescriptors: [SortDescriptor(\.endDate, order: .reverse)], limit: 1
    ).result(for: self).first?.endDate
  }
}

extension HKQuantityType {
  /// The distance in seconds within which a neighboring sample affects an average: the weight of an
  /// instantaneous sample depends on the time to its neighbors.
  fileprivate var reach: TimeInterval {
    aggregationStyle.weighsByTime ? TimeInterval(HourSummary.reach) / 1e6 : 0
  }
}

extension HKQuantityType {
  /// The statistics that are available for the type's aggregation style.
  package var statisticsOptions: HKStatisticsOptions {
    aggregationStyle == .cumulative ? .cumulativeSum : [.discreteMin, .discreteMax, .discreteAverage]
  }

  /// The unit of values in the output for programs: count/min for heart rates, kJ for energy, otherwise the
  /// canonical unit. It does not depend on the user's preferences. Use ``HKHealthStore/shownUnit(of:)`` for
  /// values shown to users.
  package var displayUnit: HKUnit {
    switch identifier {
    case HKQuantityTypeIdentifier.heartRate.rawValue: HKUnit.count().unitDivided(by: .minute())
    case HKQuantityTypeIdentifier.activeEnergyBurned.rawValue: HKUnit.jouleUnit(with: .kilo)
    default: canonicalUnit
    }
  }
}

extension HKHealthStore {
  /// Returns the unit in which values are shown to the user: the unit that the user chose, or the usual unit
  /// in their country.
  package func shownUnit(of type: HKQuantityType) async throws -> HKUnit {
    try await preferredUnits(for: [type])[type] ?? type.displayUnit
  }

  /// Returns the unit for each type, as ``shownUnit(of:)`` does for one.
  package func shownUnits(of types: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
    guard !types.isEmpty else { return [:] }
    let preferred = try await preferredUnits(for: types)
    return types.reduce(into: [:]) { $0[$1] = preferred[$1] ?? $1.displayUnit }
  }
}
