import Bluetooth

/// The times of measurements that had to wait where bluetoothd stood still, and then come all at once.
///
/// The kernel keeps what a monitor notifies, in order. So the first of a queue follows the last measurement
/// before it at the monitor's own pace, and each further one the one before, until the times have caught up
/// with the clock, or the queue is over: the next comes at the pace again. Where the queue was too short for
/// all, what is missing is at its end.
struct QueueTimes {
  struct Time: Equatable {
    var time: ReceiptTime
    /// It was concluded: the measurement came later.
    var isConcluded = false
    /// So long before it nothing is known of.
    var missing = Duration.zero
  }

  /// Of a monitor whose pace is not known (Heart Rate Service 1.0, §3.1.1.5).
  private static let usualPeriod = Duration.seconds(1)

  private var last: (time: ReceiptTime, arrival: BootTime)?
  /// Between the measurements in the queue; `nil` where there is none.
  private var period: Duration?
  private var isFirst = false

  /// What comes next had waited.
  mutating func expectQueue(period: Duration?) {
    guard last != nil, self.period == nil else { return }
    self.period = period ?? Self.usualPeriod
    isFirst = true
  }

  /// - Returns: When the measurement that was received then was made.
  mutating func time(of receipt: Receipt) -> Time {
    guard let period, let last else { return note(Time(time: receipt.time), receipt) }
    let due = last.time.advanced(by: period)
    let isQueued = isFirst || receipt.boot - last.arrival < period / 2
    isFirst = false
    if due < receipt.time, isQueued { return note(Time(time: due, isConcluded: true), receipt) }
    self.period = nil
    let missing = Duration.microseconds(max(0, receipt.time.microseconds(since: due)))
    return note(Time(time: receipt.time, missing: missing), receipt)
  }

  private mutating func note(_ time: Time, _ receipt: Receipt) -> Time {
    last = (time.time, receipt.boot)
    return time
  }
}

extension ReceiptTime {
  fileprivate func advanced(by duration: Duration) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: microsecondsSince1970 &+ Int64(duration / .microseconds(1)))
  }
}
