public import Bluetooth
import HealthStorage

/// A time in which the wall clock of this machine was ahead or behind, as a later setting showed.
public struct ClockError: Sendable, Hashable {
  /// By the clock as it was then.
  public var start: ReceiptTime
  public var end: ReceiptTime
  /// Negative if the clock was behind.
  public var ahead: Duration
  /// It was ahead by that at least: the machine was started anew before the clock was set back, and how long
  /// it was off is not known.
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
  /// The settings that turned out to have been ahead by more than was known, or behind.
  var errors: [ClockError] {
    corrections.filter { $0.ahead > 0 && $0.shift > 0 || $0.ahead < 0 }.compactMap { correction in
      settings.first { $0.id == correction.setting }.map(ClockError.init)
    }
  }
}
