import HealthKit

/// Hourly statistics as a chart of 74 columns. Each hour is a line from the minimum to the maximum, with the
/// average marked on it.
enum HourlyChart {
  /// The values of the first and last column of the scale, and the step between columns.
  private static let (first, last, step) = (40.0, 200.0, 4.0)
  private static let columns = Int((last - first) / step) + 1

  static func lines(_ hours: [HKStatistics]) -> [String] {
    let scale = "40" + String(repeating: " ", count: columns - 5) + "200"
    return ["                    low  avg high  " + scale] + hours.map(line)
  }

  private static func line(_ hour: HKStatistics) -> String {
    let start = "  " + HeartRateLine.time(hour.startDate).prefix(16)
    guard let low = hour.minimumQuantity(), let average = hour.averageQuantity(),
      let high = hour.maximumQuantity()
    else { return start }
    let numbers = [low, average, high].map(HeartRateLine.number).joined(separator: "  ")
    return "\(start)  \(numbers)  \(bar(column(low), column(average), column(high)))"
  }

  private static func bar(_ low: Int, _ average: Int, _ high: Int) -> String {
    let marks = (0...max(high, average)).map { column in
      if column == average { return "●" }
      return (low...high).contains(column) ? "─" : " "
    }
    return marks.joined()
  }

  private static func column(_ quantity: HKQuantity) -> Int {
    let value = quantity.doubleValue(for: HeartRateLine.beatsPerMinute)
    return Int(((min(max(value, first), last) - first) / step).rounded())
  }
}
