import HealthDataSync
import HealthKit
import HealthSystem

/// What `hrgate stats --json` prints for an interval. The names are a promise.
struct StatsLine: Encodable {
  var type: String
  var unit: String
  var start: String
  var end: String
  /// The days of an interval of the calendar; absent for others.
  var day: String?
  var count: Int
  var min: Double?
  var max: Double?
  var average: Double?
  var sum: Double?

  /// - Parameter unit: The same for everybody where a program reads it.
  init(_ window: WindowStatistics, _ type: HKQuantityType, in unit: HKUnit, day: String? = nil) {
    let statistics = window.statistics
    self.type = type.identifier
    self.unit = unit.unitString
    start = Timestamp.text(window.start)
    end = Timestamp.text(window.end)
    self.day = day
    count = statistics.sampleCount
    min = statistics.minimumQuantity()?.doubleValue(for: unit)
    max = statistics.maximumQuantity()?.doubleValue(for: unit)
    average = statistics.averageQuantity()?.doubleValue(for: unit)
    sum = statistics.sumQuantity()?.doubleValue(for: unit)
  }

  /// A line for a person.
  var text: String {
    let time = day?.replacing("/", with: " – ") ?? "\(start) – \(end)"
    var figures = [time, Counted.text(count, "sample")]
    if let sum { figures.append("sum \(rounded(sum)) \(unit)") }
    if let min, let max, let average {
      figures.append("min \(rounded(min)), average \(rounded(average)), max \(rounded(max)) \(unit)")
    }
    return figures.joined(separator: "  ")
  }

  private func rounded(_ value: Double) -> String {
    "\((ShownValue.of(value, unit) * 10).rounded() / 10)"
  }
}
