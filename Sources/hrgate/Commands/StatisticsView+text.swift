import HealthDataSync
import HealthSystem

extension StatisticsView {
  /// The statistics as one line of text.
  var text: String {
    let span = [start, end].map { $0.map(Timestamp.text) ?? "" }.joined(separator: " – ")
    var figures = [day?.replacing("/", with: " – ") ?? span, Counted.text(count, "sample")]
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
