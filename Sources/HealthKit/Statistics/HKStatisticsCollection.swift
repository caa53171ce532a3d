public import Foundation

/// The statistics of consecutive intervals.
public final class HKStatisticsCollection: NSObject, Sendable {
  private let request: StatisticsRequest
  private let intervals: StatisticsIntervals
  /// The statistics of the intervals that have samples, in order.
  private let populated: [(index: Int, statistics: HKStatistics)]
  private let byIndex: [Int: HKStatistics]

  init(
    _ request: StatisticsRequest, _ intervals: StatisticsIntervals,
    _ populated: [(index: Int, statistics: HKStatistics)]
  ) {
    self.request = request
    self.intervals = intervals
    self.populated = populated
    byIndex = Dictionary(populated.map { ($0.index, $0.statistics) }) { first, _ in first }
  }

  /// Returns the statistics of the interval that contains a date. Their quantities are nil if the interval
  /// has no samples.
  public func statistics(for date: Date) -> HKStatistics? {
    intervals.bounds(at: Microseconds.clamped(date)).map { statistics(in: $0) }
  }

  /// Returns the statistics of the intervals with samples, in order.
  public func statistics() -> [HKStatistics] { populated.map(\.statistics) }

  /// Calls a closure for each interval from the one that contains `start` to the one that contains `end`,
  /// including intervals without samples. Set the flag to stop.
  public func enumerateStatistics(
    from start: Date, to end: Date, with body: (HKStatistics, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {
    let last = Microseconds.clamped(end)
    guard var bounds = intervals.bounds(at: Microseconds.clamped(start)) else { return }
    var stop = ObjCBool(false)
    while bounds.start <= last, !stop.boolValue {
      body(statistics(in: bounds), &stop)
      let next = intervals.bounds(bounds.index + 1)
      // Stop at the end of the calendar's range, beyond which all intervals have the same start.
      guard next.start > bounds.start else { return }
      bounds = next
    }
  }

  /// Returns the sources of the samples. Empty without the option `separateBySource`.
  public func sources() -> Set<HKSource> {
    Set(populated.flatMap { $0.statistics.sources ?? [] })
  }

  /// Returns the statistics that differ from an earlier collection of the same query, in order.
  func differences(from earlier: HKStatisticsCollection) -> [HKStatistics] {
    let indices = Set(byIndex.keys).union(earlier.byIndex.keys)
    return indices.sorted().map { intervals.bounds($0) }.filter {
      guard let now = byIndex[$0.index], let before = earlier.byIndex[$0.index] else { return true }
      return !now.hasFigures(of: before)
    }.map { statistics(in: $0) }
  }

  private func statistics(in bounds: StatisticsIntervals.Bounds) -> HKStatistics {
    byIndex[bounds.index]
      ?? HKStatistics(
        StatisticsBuckets.Bucket(bounds: bounds), unit: request.type.canonicalUnit, sources: [],
        request: request, bounds: bounds)
  }
}
