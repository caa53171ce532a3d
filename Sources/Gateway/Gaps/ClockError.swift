public import Bluetooth
import HealthStorage

/// A period in which the wall clock of this machine was ahead or behind, as a later clock change showed.
public struct ClockError: Sendable, Hashable {
  /// The start, by the clock as it was then.
  public var start: ReceiptTime
  /// The end, by the clock as it was then.
  public var end: ReceiptTime
  /// How far the clock was ahead. Negative if it was behind.
  public var ahead: Duration
  /// Whether ``ahead`` is a minimum. The machine was restarted before the clock was set back, and the time
  /// for which it was off is not known.
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
  /// The periods whose error is now known to be larger than recorded, and those in which the clock was
  /// behind.
  var errors: [ClockError] {
    corrections.filter { $0.ahead > 0 && $0.shift > 0 || $0.ahead < 0 }.compactMap { correction in
      settings.first { $0.id == correction.setting }.map(ClockError.init)
    }
  }
}
