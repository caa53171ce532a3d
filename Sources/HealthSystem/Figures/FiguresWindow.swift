package import Foundation
package import HealthKit
import HealthStorage

/// A period for statistics on the command line and on the page. Samples that cross its bounds count with the
/// part inside, as in an interval of a collection. So the days of a week add up to the week, and a day has
/// the same statistics everywhere.
package struct FiguresWindow {
  /// The start in whole microseconds, or nil for no start.
  package let from: Date?
  /// The end in whole microseconds, or nil for no end. Samples that start at the end are outside.
  package let to: Date?
  /// A predicate on the sources, or nil for all sources.
  package let sources: NSPredicate?

  /// Creates a period. The dates are rounded to microseconds.
  package init(from: Date?, to: Date?, sources: NSPredicate?) {
    func rounded(_ date: Date) -> Date { Microseconds.date(Microseconds.clamped(date)) }
    (self.from, self.to, self.sources) = (from.map(rounded), to.map(rounded), sources)
  }

  /// Returns a predicate for the samples in the period, or nil if there is no restriction.
  /// - Parameter options: The samples to include. Without options, all samples that overlap the period.
  package func predicate(_ options: HKQueryOptions) -> NSPredicate? { predicate(from, to, options) }

  private func predicate(_ from: Date?, _ to: Date?, _ options: HKQueryOptions = []) -> NSPredicate? {
    var parts: [NSPredicate] = []
    if from != nil || to != nil {
      parts.append(HKQuery.predicateForSamples(withStart: from, end: to, options: options))
    }
    if let sources { parts.append(sources) }
    return parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
  }

  /// Returns a predicate for the samples that overlap the period or are within a distance of its bounds.
  fileprivate func touching(near reach: TimeInterval) -> NSPredicate? {
    predicate(from.map { $0 - reach }, to.map { $0 + reach })
  }

  /// Returns the intersection with an interval, or nil if that is the whole interval. The intersection can be
  /// empty.
  fileprivate func part(from start: Date, to end: Date) -> FiguresWindow? {
    let (from, to) = (max(start, from ?? start), min(end, to ?? end))
    return from == start && to == end ? nil : FiguresWindow(from: from, to: max(from, to), sources: sources)
  }

  /// Returns a predicate for the samples that extend over a bound.
  fileprivate func crossing(_ bound: Date?) -> [NSPredicate] {
    // The sample starts before the bound and ends at least one microsecond after it, the smallest unit of
    // time.
    [bound.flatMap { predicate($0 + 1e-6, $0) }].compactMap(\.self)
  }

  /// Returns predicates for the samples outside, within a distance of the bounds.
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
  /// The start of the first sample, limited to the period, or the start of the interval.
  package let start: Date
  /// The end of the last sample, limited to the period, or the end of the interval.
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

  /// Returns the statistics of each interval that has samples in the period. For an interval that contains a
  /// bound of the period, only the part inside counts.
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
      // The collection splits samples at the bounds of intervals only.
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
  /// The distance in seconds within which neighboring samples affect an average. The weight of an
  /// instantaneous sample depends on its neighbors.
  fileprivate var reach: TimeInterval {
    aggregationStyle.weighsByTime ? TimeInterval(HourSummary.reach) / 1e6 : 0
  }
}

extension HKQuantityType {
  /// The statistics that the type's aggregation style allows.
  package var statisticsOptions: HKStatisticsOptions {
    aggregationStyle == .cumulative ? .cumulativeSum : [.discreteMin, .discreteMax, .discreteAverage]
  }

  /// The unit of values for programs: heart rates per minute, energy in kJ, otherwise the canonical unit. It
  /// does not depend on the user. Use ``HKHealthStore/shownUnit(of:)`` for values shown to users.
  package var displayUnit: HKUnit {
    switch identifier {
    case HKQuantityTypeIdentifier.heartRate.rawValue: HKUnit.count().unitDivided(by: .minute())
    case HKQuantityTypeIdentifier.activeEnergyBurned.rawValue: HKUnit.jouleUnit(with: .kilo)
    default: canonicalUnit
    }
  }
}

extension HKHealthStore {
  /// Returns the unit in which values are shown to the user: the user's choice, or else the usual unit in
  /// their country.
  package func shownUnit(of type: HKQuantityType) async throws -> HKUnit {
    try await preferredUnits(for: [type])[type] ?? type.displayUnit
  }

  /// Returns the unit of each type, like ``shownUnit(of:)``.
  package func shownUnits(of types: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
    guard !types.isEmpty else { return [:] }
    let preferred = try await preferredUnits(for: types)
    return types.reduce(into: [:]) { $0[$1] = preferred[$1] ?? $1.displayUnit }
  }
}
