package import Foundation
package import HealthKit

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

  /// All that begins in it.
  fileprivate var beginning: NSPredicate? { predicate(from, to, .strictStartDate) }

  /// All that has a part in it, or is near one of these bounds of it, and what ends just as that begins.
  fileprivate func touching(near reach: TimeInterval, of isNear: (Date) -> Bool) -> NSPredicate? {
    predicate(
      from.map { isNear($0) ? $0 - reach : $0 }, to.map { isNear($0) && reach > 0 ? $0 + reach + 1e-6 : $0 },
      [])
  }

  /// What has a part before and one after this moment.
  fileprivate func crossing(_ bound: Date) -> NSPredicate? {
    // Begins before, ends a microsecond later or after: times have no finer parts.
    predicate(bound + 1e-6, bound, [])
  }

  /// What is outside of it and near.
  fileprivate func outside(near reach: TimeInterval) -> [NSPredicate] {
    let before = from.flatMap { predicate($0 - reach, $0, []) }
    let after = to.flatMap { predicate($0, $0 + reach + 1e-6, []) }
    return [before, after].compactMap(\.self)
  }

  private func predicate(_ from: Date?, _ to: Date?, _ options: HKQueryOptions) -> NSPredicate? {
    var parts: [NSPredicate] = []
    if from != nil || to != nil {
      parts.append(HKQuery.predicateForSamples(withStart: from, end: to, options: options))
    }
    if let sources { parts.append(sources) }
    return parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
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
    let beginning = try await statistics(of: type, window.beginning, options)
    let before = try await lastEnd(of: type, crossing: window.from, window)
    let after = try await lastEnd(of: type, crossing: window.to, window)
    var isPart = before != nil || after != nil
    for outside in type.reach > 0 && !isPart ? window.outside(near: type.reach) : [] {
      isPart = try await lastEnd(of: type, outside) != nil || isPart
    }
    guard isPart else {
      return beginning.map { WindowStatistics(statistics: $0, start: $0.startDate, end: $0.endDate) }
    }
    let start = window.from ?? beginning?.startDate ?? .distantPast
    let last = [beginning?.endDate, before, after].compactMap(\.self).max() ?? start
    let end = window.to ?? last + 1
    let only = try await collection(
      of: type, in: window, options, from: start, every: .exactly(end.timeIntervalSince(start))
    ).statistics(for: start)
    guard let only, only.sampleCount > 0 else { return nil }
    return WindowStatistics(
      statistics: only, start: before == nil ? beginning?.startDate ?? start : start, end: min(last, end))
  }

  /// The figures of each interval that has a part in the window, and samples in it.
  package func statistics(
    of type: HKQuantityType, in window: FiguresWindow, _ options: HKStatisticsOptions, from anchor: Date,
    every components: DateComponents
  ) async throws -> [HKStatistics] {
    try await collection(of: type, in: window, options, from: anchor, every: components).statistics()
      .filter { interval in
        interval.sampleCount > 0 && window.from.map { $0 < interval.endDate } ?? true
          && window.to.map { interval.startDate < $0 } ?? true
      }
  }

  private func collection(
    of type: HKQuantityType, in window: FiguresWindow, _ options: HKStatisticsOptions, from anchor: Date,
    every components: DateComponents
  ) async throws -> HKStatisticsCollection {
    // Where an interval holds a bound of the window, it has of the samples around it only those inside.
    let predicate = window.touching(near: type.reach) { components.lead(from: anchor, to: $0) }
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

  private func lastEnd(
    of type: HKQuantityType, crossing bound: Date?, _ window: FiguresWindow
  ) async throws -> Date? {
    guard let bound else { return nil }
    return try await lastEnd(of: type, window.crossing(bound))
  }

  private func lastEnd(of type: HKQuantityType, _ predicate: NSPredicate?) async throws -> Date? {
    try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: type, predicate: predicate)],
      sortDescriptors: [SortDescriptor(\.endDate, order: .reverse)], limit: 1
    ).result(for: self).first?.endDate
  }
}

extension HKQuantityType {
  /// So near to each other samples matter for an average: an instant's weight is how long it holds.
  fileprivate var reach: TimeInterval { aggregationStyle == .discreteTemporallyWeighted ? 5 : 0 }
}

extension DateComponents {
  /// A number of them is what lies between the two: days of their calendar, or seconds.
  fileprivate func lead(from anchor: Date, to time: Date) -> Bool {
    guard let day, let calendar else {
      let length =
        Double(hour ?? 0) * 3600 + Double(minute ?? 0) * 60 + Double(second ?? 0)
        + Double(nanosecond ?? 0) / 1e9
      return length > 0 && abs(time.timeIntervalSince(anchor).remainder(dividingBy: length)) < 1e-6
    }
    let days = calendar.dateComponents([.day], from: anchor, to: time).day ?? 0
    return days.isMultiple(of: day) && calendar.date(byAdding: .day, value: days, to: anchor) == time
  }

  fileprivate static func exactly(_ seconds: TimeInterval) -> DateComponents {
    let whole = seconds.rounded(.down)
    return DateComponents(second: Int(whole), nanosecond: Int(((seconds - whole) * 1e6).rounded()) * 1000)
  }
}
