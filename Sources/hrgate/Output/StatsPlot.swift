import Foundation
import HealthKit
import HealthSystem

/// Statistics by interval as a plot, an interval a column.
enum StatsPlot {
  private static let widest = 110

  static func lines(_ intervals: [WindowStatistics], _ unit: HKUnit, _ span: SpanArgument) -> [String] {
    guard let first = intervals.first, let last = intervals.last else { return [] }
    let length = Double(span.seconds)
    let count = Int(last.start.timeIntervalSince(first.start) / length) + 1
    guard count <= widest else { return ["(too many intervals for a plot: \(count))"] }
    var columns = [TerminalPlot.Column?](repeating: nil, count: count)
    for interval in intervals {
      let place = Int(interval.start.timeIntervalSince(first.start) / length)
      guard columns.indices.contains(place) else { continue }
      columns[place] = column(interval.statistics, unit)
    }
    return TerminalPlot.lines(
      columns, unit: unit.unitString, start: clockTime(first.start),
      end: clockTime(last.end))
  }

  private static func column(_ statistics: HKStatistics, _ unit: HKUnit) -> TerminalPlot.Column? {
    if let sum = statistics.sumQuantity()?.doubleValue(for: unit) {
      return TerminalPlot.Column(minimum: 0, average: sum, maximum: sum)
    }
    guard let minimum = statistics.minimumQuantity()?.doubleValue(for: unit),
      let average = statistics.averageQuantity()?.doubleValue(for: unit),
      let maximum = statistics.maximumQuantity()?.doubleValue(for: unit)
    else { return nil }
    return TerminalPlot.Column(minimum: minimum, average: average, maximum: maximum)
  }

  private static func clockTime(_ date: Date) -> String {
    String(Timestamp.text(date).prefix(19)).replacing("T", with: " ")
  }
}

extension SpanArgument {
  /// The shortest common span that shows `seconds` in no more than `columns` intervals.
  static func fitting(_ seconds: TimeInterval, columns: Int) -> SpanArgument {
    let common = [
      SpanArgument(count: 1, unit: .second), SpanArgument(count: 2, unit: .second),
      SpanArgument(count: 5, unit: .second), SpanArgument(count: 10, unit: .second),
      SpanArgument(count: 30, unit: .second), SpanArgument(count: 1, unit: .minute),
      SpanArgument(count: 2, unit: .minute), SpanArgument(count: 5, unit: .minute),
      SpanArgument(count: 15, unit: .minute), SpanArgument(count: 1, unit: .hour),
      SpanArgument(count: 6, unit: .hour), SpanArgument(count: 1, unit: .day),
    ]
    let fits = common.first { Double($0.seconds * columns) >= seconds }
    return fits ?? SpanArgument(count: max(1, Int(seconds / 86_400 / Double(columns)) + 1), unit: .day)
  }
}
