import Foundation

/// How far a replay is, on one line of a terminal; nothing where standard error is none.
struct ProgressBar {
  private static let width = 30
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
    let share = min(1, Double(done) / Double(total))
    let filled = Int(share * Double(Self.width))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
    StandardError.rewriteLine("\(label)  \(bar) \(Int(share * 100))%  \(detail)")
  }

  /// Clears the line for what comes next.
  func end() { if isVisible { StandardError.rewriteLine("") } }
}
