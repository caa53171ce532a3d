package import Foundation
package import HealthKit
import HealthStorage

/// A time of which figures are asked for, as the command line and the page tell them: of a sample that
/// reaches over its bounds the part inside counts, as in an interval of a collection. So days add up to their
/// week, and one day is the same wherever it is told.
package struct FiguresWindow {
  /// In whole microseconds: times have no finer parts. nil leaves it open.
  package let from: Date?
  /// The same; samples that begin then are outside.
  package let to: Date?
  /// Whose samples; of nothing, everybody's.
  package let sources: NSPredicate?

  package init(from: Date?, to: Date?, sources: NSPredicate?) {
    func rounded(_ date: Date) -> Date { Microseconds.date(Microseconds.clamped(date)) }
    (self.from, self.to, self.sources) = (from.map(rounded), to.map(rounded), sources)
  }

  /// - Parameter options: Which samples are in it; all that overlap it, where there are none.
  /// - Returns: nil where it is open and of everybody.
  package func predicate(_ options: HKQueryOptions) -> NSPredicate? { predicate(from, to, options) }

  private func predicate(_ from: Date?, _ to: Date?, _ options: HKQueryOptions = []) -> NSPredicate? {
    var parts: [NSPredicate] = []
    if from != nil || to != nil {
      parts.append(HKQuery.predicateForSamples(withStart: from, end: to, options: options))
    }
    if let sources { parts.append(sources) }
    return parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
  }

  /// All that overlaps it, or lies so near to a bound of it.
  fileprivate func touching(near reach: TimeInterval) -> NSPredicate? {
    predicate(from.map { $0 - reach }, to.map { $0 + reach })
  }

  /// What it has of an interval.
  /// - Returns: nil where that is all of it; without a length where that is nothing.
  fileprivate func part(from start: Date, to end: Date) -> FiguresWindow? {
    let (from, to) = (max(start, from ?? start), min(end, to ?? end))
    return from == start && to == end ? nil : FiguresWindow(from: from, to: max(from, to), sources: sources)
  }

  /// What has a part before and one after this moment.
  fileprivate func crossing(_ bound: Date?) -> [NSPredicate] {
    // Begins before, ends a microsecond later or after: times have no finer parts.
    [bound.flatMap { predicate($0 + 1e-6, $0) }].compactMap(\.self)
  }

  /// What is outside of it and so near.
  fileprivate func outside(near reach: TimeInterval) -> [NSPredicate] {
    guard reach > 0 else { return [] }
    return [from.flatMap { predicate($0 - reach, $0) }, to.flatMap { predicate($0, $0 + reach) }]
      .compactMap(\.self)
  }
}

/// Figures of a ``FiguresWindow``.
package struct WindowStatistics: Sendable {
  package let statistics: HKStatistics
  /// From where its first sample begins to where its last one ends, as far as that is inside; or the bounds
  /// of an interval.
  package let start: Date
  package let end: Date
}

extension HKHealthStore {
  /// - Returns: nil where no sample has a part in it.
  package func statistics(
    of type: HKQuantityType, in window: FiguresWindow, _ options: HKStatisticsOptions
  ) async throws -> WindowStatistics? {
    // No sample has a part in a time without a length.
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

  /// The figures of each interval in which a sample has a part that is in the window, too; of an interval
  /// that holds a bound of the window, those of the part inside.
  /// - Returns: Under the bounds of the intervals, in order.
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
      // The collection cuts at the bounds of intervals alone.
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

  /// When the last of those ends that are in one of these.
  private func lastEnd(of type: HKQuantityType, _ predicates: [NSPredicate]) async throws -> Date? {
    guard !predicates.isEmpty else { return nil }
    return try await HKSampleQueryDescriptor(
      predicates: predicates.map { HKSamplePredicate.quantitySample(type: type, predicate: $0) },
      sortDescriptors: [SortDescriptor(\.endDate, order: .reverse)], limit: 1
    ).result(for: self).first?.endDate
  }
}

extension HKQuantityType {
  /// So near to each other samples matter for an average: an instant's weight is how long it holds.
  fileprivate var reach: TimeInterval {
    aggregationStyle.weighsByTime ? TimeInterval(HourSummary.reach) / 1e6 : 0
  }
}
