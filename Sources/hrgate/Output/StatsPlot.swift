import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Plots statistics, one column per interval.
enum StatsPlot {
  private static let widest = 110

  static func lines(
    _ intervals: [WindowStatistics], _ unit: HKUnit, _ length: IntervalArgument, _ calendar: Calendar
  ) -> [String] {
    guard let first = intervals.first, let last = intervals.last else { return [] }
    /// Returns the column of an interval. It is rounded because days and months differ in length.
    func place(of interval: WindowStatistics) -> Int {
      Int((interval.start.timeIntervalSince(first.start) / length.seconds).rounded())
    }
    let count = place(of: last) + 1
    guard count <= widest else { return ["(too many intervals for a plot: \(count))"] }
    var columns = [TerminalPlot.Column?](repeating: nil, count: count)
    for interval in intervals {
      let place = place(of: interval)
      guard columns.indices.contains(place) else { continue }
      columns[place] = column(StatisticsView(interval, in: unit))
    }
    return TerminalPlot.lines(
      columns, unit: unit.unitString,
      start: length.isOfCalendar ? calendar.dayText(of: first.start) : Timestamp.clockTime(first.start),
      end: length.isOfCalendar ? calendar.dayText(of: last.end - 1) : Timestamp.clockTime(last.end))
  }

  private static func column(_ figures: StatisticsView) -> TerminalPlot.Column? {
    if let sum = figures.sum { return TerminalPlot.Column(minimum: 0, average: sum, maximum: sum) }
    guard let minimum = figures.min, let average = figures.average, let maximum = figures.max else {
      return nil
    }
    return TerminalPlot.Column(minimum: minimum, average: average, maximum: maximum)
  }
}

extension Timestamp {
  /// Returns a time such as `2026-11-21 06:09:00`.
  static func clockTime(_ date: Date) -> String {
    String(text(date).prefix(19)).replacing("T", with: " ")
  }
}
