import Bluetooth

/// How long ago something was, short enough for a column: `4 s`, `12 min`, `30 h`, `3 d`.
enum Age {
  /// - Parameter seconds: Counts from 0 on; a clock that was set back makes nothing younger than now.
  static func text(seconds: Int64) -> String {
    switch max(0, seconds) {
    case let seconds where seconds < 60: "\(seconds) s"
    case let seconds where seconds < 3600: "\(seconds / 60) min"
    case let seconds where seconds < 48 * 3600: "\(seconds / 3600) h"
    case let seconds: "\(seconds / 86_400) d"
    }
  }

  /// The age of what was received at a time and told by the gateway a little later. After that only the clock
  /// counts that nobody sets, so that no step of the wall clock makes an old value new.
  static func seconds(of received: ReceiptTime, told: SystemClocks, now: SystemClocks) -> Int64 {
    let delay = max(0, told.wall.microseconds(since: received)) / 1_000_000
    let since = now.boottimeNanoseconds - min(told.boottimeNanoseconds, now.boottimeNanoseconds)
    return delay + Int64(since / 1_000_000_000)
  }
}
