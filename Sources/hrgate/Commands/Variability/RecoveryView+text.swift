import HealthDataSync
import HealthKit
import HealthSystem

extension RecoveryView {
  /// Returns the result as one line of text.
  func text(_ source: HKSource?) -> String {
    let end = Timestamp.text(end)
    let name = source.map { "  \($0.name.plain)  \($0.bundleIdentifier.plain)" } ?? ""
    guard let peak, let afterOneMinute, let recovery else {
      return "\(end)\(name)  refused: \(refused ?? "")"
    }
    let figures = [recovery, peak, afterOneMinute].map { "\(($0 * 10).rounded() / 10)" }
    return "\(end)\(name)  \(figures[0]) beats in one minute, from \(figures[1]) to \(figures[2])"
  }
}
