import Foundation

/// How far a replay is, on one line of a terminal; nothing where standard error is none.
struct ProgressBar {
  static let width = 30
  private let label: String
  private let isVisible = StandardError.isTerminal
  private var drawn: ContinuousClock.Instant?

  init(_ label: String) { self.label = label.plain }

  /// - Parameters:
  ///   - done: Bytes read.
  ///   - total: Bytes in all, where that is known.
  mutating func show(done: Int64, of total: Int64?, _ detail: String) {
    guard isVisible, drawn.map({ .now - $0 > .milliseconds(100) }) ?? true else { return }
    drawn = .now
    guard let total, total > 0 else {
      StandardError.rewriteLine("\(label)  \(detail)")
      return
    }
    StandardError.rewriteLine("\(label)  \(Self.text(Double(done) / Double(total)))  \(detail)")
  }

  /// A share of a whole, as a bar and in per cent: all of it is not said before all is done.
  static func text(_ share: Double, width: Int = width) -> String {
    let share = min(1, max(0, share))
    let filled = Int(share * Double(width))
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      + " \(Int(share * 100))%"
  }

  /// Clears the line for what comes next.
  func end() { if isVisible { StandardError.rewriteLine("") } }
}
