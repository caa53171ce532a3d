public import Bluetooth
import HealthStorage

/// A period in which the wall clock of this machine was wrong, as became known when the clock was set later.
public struct ClockError: Sendable, Hashable {
  /// The start, in the wrong clock's time.
  public var start: ReceiptTime
  /// The end, in the wrong clock's time.
  public var end: ReceiptTime
  /// By how much the clock was ahead; negative if it was behind.
  public var ahead: Duration
  /// Whether the clock may have been even further ahead than ``ahead``. This is the case if the machine was
  /// off before the clock was set back, because the time that it was off is not known.
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
  /// The periods in which the clock was behind, and those in which it was further ahead than was known
  /// before.
  var errors: [ClockError] {
    corrections.filter { $0.ahead > 0 && $0.shift > 0 || $0.ahead < 0 }.compactMap { correction in
      settings.first { $0.id == correction.setting }.map(ClockError.init)
    }
  }
}
