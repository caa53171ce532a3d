import Foundation

/// A progress bar on one line of a terminal. Shows nothing if standard error is not a terminal.
struct ProgressBar {
  static let width = 30
  private let label: String
  private let isVisible = StandardError.isTerminal
  private var drawn: ContinuousClock.Instant?

  init(_ label: String) { self.label = label.plain }

  /// Updates the bar.
  ///
  /// - Parameters:
  ///   - done: Number of bytes read.
  ///   - total: Total number of bytes, if known.
  mutating func show(done: Int64, of total: Int64?, _ detail: String) {
    guard isVisible, drawn.map({ .now - $0 > .milliseconds(100) }) ?? true else { return }
    drawn = .now
    guard let total, total > 0 else {
      StandardError.rewriteLine("\(label)  \(detail)")
      return
    }
    StandardError.rewriteLine("\(label)  \(Self.text(Double(done) / Double(total)))  \(detail)")
  }

  /// Formats a fraction as a bar and a percentage, which is 100 % only when everything is done.
  static func text(_ share: Double, width: Int = width) -> String {
    let share = min(1, max(0, share))
    let filled = Int(share * Double(width))
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      + " \(Int(share * 100))%"
  }

  /// Clears the bar's line.
  func end() { if isVisible { StandardError.rewriteLine("") } }
}
