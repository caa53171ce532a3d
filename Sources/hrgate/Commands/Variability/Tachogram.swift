import Foundation
import HealthDataSync
import HeartRateVariability

/// The NN intervals over the time, as a plot for a terminal.
enum Tachogram {
  private static let columns = 72

  /// Each column has the least, the mean and the greatest interval of its part of the time.
  static func lines(of recording: MarkedRecording, _ windows: [HRVLine]) -> [String] {
    guard let first = windows.first, let last = windows.last, let start = Timestamp.parse(first.start),
      let end = Timestamp.parse(last.end)
    else { return [] }
    let width = end.timeIntervalSince(start) / Double(columns)
    let parts = (0..<columns).map { column -> TerminalPlot.Column? in
      let from = start.timeIntervalSince1970 + Double(column) * width
      guard let window = Window(start: from, end: from + width) else { return nil }
      let intervals = recording.nn(in: window).intervals
      guard let least = intervals.min(), let greatest = intervals.max() else { return nil }
      let mean = intervals.reduce(0, +) / Double(intervals.count)
      return TerminalPlot.Column(minimum: least, average: mean, maximum: greatest)
    }
    return TerminalPlot.lines(parts, unit: "NN ms", start: clockTime(first.start), end: clockTime(last.end))
  }

  private static func clockTime(_ text: String) -> String {
    String(text.prefix(19)).replacing("T", with: " ")
  }
}
