public import Bluetooth
import HealthStorage

/// A period in which this machine's wall clock was wrong. It becomes known only when the clock is set later.
public struct ClockError: Sendable, Hashable {
  /// The start, according to the wrong clock.
  public var start: ReceiptTime
  /// The end, according to the wrong clock.
  public var end: ReceiptTime
  /// By how much the clock was ahead; negative if it was behind.
  public var ahead: Duration
  /// Whether the clock may have been even further ahead than ``ahead``, because the machine was switched off
  /// before the clock was set back, for an unknown time.
  public var isAtLeast: Bool

  public init(start: ReceiptTime, end: ReceiptTime, ahead: Duration, isAtLeast: Bool = false) {
    self.start = start
    self.end = end
    self.ahead = ahead
    self.isAtLeast = isAtLeast
  }
}

extension ClockError {
  init(_ record: ClockSettingRecord) {
    self.init(
      start: ReceiptTime(microsecondsSince1970: record.start),
      end: ReceiptTime(microsecondsSince1970: record.end ?? record.start),
      ahead: .microseconds(record.ahead), isAtLeast: record.isAtLeast)
  }
}

extension ClockChangesRecord {
  /// The clock errors that these corrections reveal: periods in which the clock was behind, or further ahead
  /// than known before.
  var errors: [ClockError] {
    corrections.filter { $0.ahead > 0 && $0.shift > 0 || $0.ahead < 0 }.compactMap { correction in
      settings.first { $0.id == correction.setting }.map(ClockError.init)
    }
  }
}
