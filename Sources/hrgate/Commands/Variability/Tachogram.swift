import Foundation
import HealthDataSync
import HealthSystem
import HeartRateVariability

/// Plots the NN intervals over time for a terminal.
enum Tachogram {
  private static let columns = 72

  /// Returns the plot. Each column shows the minimum, mean and maximum interval of its part of the time.
  static func lines(of recording: MarkedRecording, _ windows: [VariabilityView]) -> [String] {
    guard let start = windows.first?.start, let end = windows.last?.end else { return [] }
    let width = end.timeIntervalSince(start) / Double(columns)
    let parts = (0..<columns).map { column -> TerminalPlot.Column? in
      let from = start.timeIntervalSince1970 + Double(column) * width
      guard let window = Window(start: from, end: from + width) else { return nil }
      let intervals = recording.nn(in: window).intervals
      guard let least = intervals.min(), let greatest = intervals.max() else { return nil }
      let mean = intervals.reduce(0, +) / Double(intervals.count)
      return TerminalPlot.Column(minimum: least, average: mean, maximum: greatest)
    }
    return TerminalPlot.lines(
      parts, unit: "NN ms", start: Timestamp.clockTime(start), end: Timestamp.clockTime(end))
  }
}
