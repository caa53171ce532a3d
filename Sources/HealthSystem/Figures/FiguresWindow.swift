package import Foundation
package import HealthKit
import HealthStorage

/// A time of which figures are asked for, as the command line and the page tell them: of a sample that
/// reaches over its bounds the part inside counts, as in an interval of a collection. So days add up to their
/// week, and one day is the same wherever it is told.
package struct FiguresWindow {
  /// nil leaves it open.
  package var from: Date?
  /// Samples that begin then are outside.
  package var to: Date?
  /// Whose samples; of nothing, everybody's.
  package var sources: NSPredicate?

  package init(from: Date?, to: Date?, sources: NSPredicate?) {
    (self.from, self.to, self.sources) = (from, to, sources)
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
  fileprivate func touching(near reach: (Date) -> TimeInterval) -> NSPredicate? {
    predicate(from.map { $0 - reach($0) }, to.map { $0 + reach($0) })
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
  /// From where its first sample begins to where its last one ends, as far as that is inside.
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
    let start = window.from ?? beginning?.startDate ?? .distantPast
    let last = [beginning?.endDate, before, after].compactMap(\.self).max() ?? start
    let end = window.to ?? last + 1
    let only = try await collection(
      of: type, in: window, options, from: start, every: .exactly(end.timeIntervalSince(start))
    ).statistics(for: start)
    guard let only, only.sumQuantity() ?? only.minimumQuantity() != nil else { return nil }
    return WindowStatistics(
      statistics: only, start: before == nil ? beginning?.startDate ?? start : start, end: min(last, end))
  }

  /// The figures of each interval that has a part in the window, and of a sample in it.
  package func statistics(
    of type: HKQuantityType, in window: FiguresWindow, _ options: HKStatisticsOptions, from anchor: Date,
    every components: DateComponents
  ) async throws -> [HKStatistics] {
    try await collection(of: type, in: window, options, from: anchor, every: components).statistics()
      .filter { interval in
        window.from.map { $0 < interval.endDate } ?? true && window.to.map { interval.startDate < $0 } ?? true
      }
  }

  private func collection(
    of type: HKQuantityType, in window: FiguresWindow, _ options: HKStatisticsOptions, from anchor: Date,
    every components: DateComponents
  ) async throws -> HKStatisticsCollection {
    // Where an interval holds a bound of the window, it has of the samples around it only those inside.
    let intervals = try StatisticsIntervals(anchor: anchor, components: components)
    let predicate = window.touching { intervals.hasBound(at: $0) ? type.reach : 0 }
    let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: predicate)
    return try await HKStatisticsCollectionQueryDescriptor(
      predicate: samples, options: options, anchorDate: anchor, intervalComponents: components
    ).result(for: self)
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
    aggregationStyle == .discreteTemporallyWeighted ? TimeInterval(HourSummary.reach) / 1e6 : 0
  }
}

extension DateComponents {
  fileprivate static func exactly(_ seconds: TimeInterval) -> DateComponents {
    let whole = seconds.rounded(.down)
    return DateComponents(second: Int(whole), nanosecond: Int(((seconds - whole) * 1e6).rounded()) * 1000)
  }
}
