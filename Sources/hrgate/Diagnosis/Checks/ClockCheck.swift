import Bluetooth
import Foundation

/// Checks whether the wall clock is plausible. Measurements are timed only by their receipt.
enum ClockCheck {
  private static let name = "clock"
  /// Number of seconds by which the clock may have been ahead without a warning.
  private static let tolerance = 60.0

  static func findings(_ clock: ClockFacts, _ stores: [StoreFacts]) -> [Finding] {
    let advice = "Synchronize it with a time server: timedatectl set-ntp true"
    guard clock.now * 1e6 >= Double(ReceiptClock.leastPlausible.microsecondsSince1970) else {
      return [Finding(name, .fail, "it was never set: it shows \(text(clock.now))", advice: advice)]
    }
    if let latest = stores.compactMap(\.latestMeasurement).max(), latest > clock.now + tolerance {
      return [
        Finding(
          name, .warn, "there are stored measurements from the future, up to \(text(latest))",
          advice: "See when the clock was ahead: hrgate monitors gaps. \(advice)")
      ]
    }
    switch clock.isSynchronised {
    case true: return [Finding(name, .ok, "synchronized with a time server")]
    case false: return [Finding(name, .warn, "not synchronized with a time server", advice: advice)]
    case nil: return [Finding(name, .ok, "plausible; it is unknown whether a time server synchronizes it")]
    }
  }

  private static func text(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(.iso8601)
  }
}
