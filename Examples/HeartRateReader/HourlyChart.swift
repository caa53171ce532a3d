import HealthKit

/// Statistics by the hour as a chart of 74 columns: an hour a line, from the lowest to the highest value,
/// with the average on it.
enum HourlyChart {
  /// What the first and the last column of the scale stand for, and how far they are apart.
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
