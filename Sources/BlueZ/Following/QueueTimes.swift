import Bluetooth

/// The times of measurements that had to wait, and then come all at once: where bluetoothd stood still, or
/// the machine, or the radio did not come through.
///
/// What waits stays in order. So the first of a queue follows the last measurement before it at the monitor's
/// own pace, and each further one the one before, until the times have caught up with the clock.
///
/// That it is a queue is known in two ways:
/// - bluetoothd was asked and stood still (``expectQueue(period:_:)``). Then what comes as soon as it goes on
///   had waited, and so had what follows close behind. Where the kernel had no room for all, what is missing
///   is at the end of the queue. The one that comes next in time is then taken for the last of the queue
///   where it happens to come within half a period: nothing tells the two apart. A machine with other work
///   pauses in the middle of a queue; so one that comes after a pause is held for half a period, and belongs
///   to the queue where another is close behind it.
/// - Measurements that come at once are as many as the monitor made since the last one before. Then none is
///   missing, so their times are known. To see that, one that comes late is held for half a period. Fewer of
///   them say nothing about which are missing, and keep the time of receipt; so does what is less than a
///   second late.
struct QueueTimes {
  struct Made: Hashable {
    var passed: DuplicateFilter.Passed
    /// When it was made.
    var time: ReceiptTime
    /// That was concluded: the measurement came later.
    var isConcluded = false
    /// So long before it nothing is known of.
    var missing = Duration.zero
  }

  /// bluetoothd stood still.
  struct Stop: Hashable {
    /// When it had said something last.
    var lastWord: BootTime?
    /// When it said something again.
    var end: BootTime
  }

  /// What bluetoothd had no time to tell.
  private struct Queue {
    let stop: Stop
    let period: Duration
    /// Nothing of it has come.
    var isUntouched = true
  }

  /// Of a monitor whose pace is not known (Heart Rate Service 1.0, §3.1.1.5).
  private static let usualPeriod = Duration.seconds(1)
  /// What is less late keeps its time of receipt: a busy machine takes half a second.
  private static let late = Duration.seconds(1)
  /// One so late, in periods, came in time.
  private static let punctual = 0.2
  /// More are not held.
  private static let mostHeld = 256

  private var last: (time: ReceiptTime, arrival: BootTime)?
  private var queue: Queue?
  /// What may be a queue, in order, and how often the monitor measures; while bluetoothd tells what had
  /// waited, one that came after a pause.
  private var held: (values: [DuplicateFilter.Passed], period: Duration) = ([], .zero)

  /// What comes next had waited, if it comes soon.
  mutating func expectQueue(period: Duration?, _ stop: Stop) {
    guard last != nil, queue == nil, held.values.isEmpty else { return }
    queue = Queue(stop: stop, period: period ?? Self.usualPeriod)
  }

  /// Times do not go on from those before: nothing is concluded from them.
  mutating func beginAnew() {
    last = nil
    queue = nil
  }

  /// Nothing is held or expected, and one that comes now is in time whatever the pace is.
  func isIdle(at time: ReceiptTime) -> Bool {
    guard let last, queue == nil, held.values.isEmpty else { return false }
    return time <= last.time.advanced(by: Self.late)
  }

  /// One came while nothing was to be found out (``isIdle(at:)``).
  mutating func pass(_ receipt: Receipt) { last = (receipt.time, receipt.boot) }

  /// The pace decides about one of these.
  func wantsPeriod(for values: [DuplicateFilter.Passed]) -> Bool {
    guard let last else { return false }
    return values.contains { $0.value.receipt.time > last.time.advanced(by: Self.late) }
  }

  /// - Parameters:
  ///   - values: The next measurements, in order.
  ///   - period: How often the monitor measures; `nil` where that is not known, or not wanted.
  /// - Returns: What is to be handed on.
  mutating func receive(_ values: [DuplicateFilter.Passed], period: Duration?) -> [Made] {
    values.flatMap { receive($0, period: period) }
  }

  /// When ``flush(at:)`` has something to do.
  var deadline: BootTime? { held.values.last.map { $0.value.receipt.boot + held.period / 2 } }

  mutating func flush(at now: BootTime) -> [Made] {
    deadline.map { $0 <= now } == true ? end() : []
  }

  /// Nothing is to be held any more.
  mutating func end() -> [Made] {
    let (values, period) = held
    held.values = []
    if let queue, let last, let value = values.first { return [endQueue(with: value, queue, after: last)] }
    guard values.count > 1, let start = last?.time, let end = values.last?.value.receipt.time else {
      return values.map { asReceived($0) }
    }
    let periods = Duration.microseconds(end.microseconds(since: start)) / period
    guard (-0.25...1.25).contains(periods - Double(values.count)) else {
      return values.map { asReceived($0) }
    }
    var due = start
    return values.map { value in
      due = due.advanced(by: period)
      return Self.isLate(value, due, period) ? concluded(value, due) : asReceived(value)
    }
  }

  // MARK: - One measurement

  private mutating func receive(_ passed: DuplicateFilter.Passed, period: Duration?) -> [Made] {
    let receipt = passed.value.receipt
    guard let last else { return [asReceived(passed)] }
    if let queue, let waiting = held.values.first {
      held.values = []
      let isCloseBehind = receipt.boot - waiting.value.receipt.boot < queue.period / 2
      let made =
        isCloseBehind
        ? concluded(waiting, last.time.advanced(by: queue.period))
        : endQueue(with: waiting, queue, after: last)
      return [made] + receive(passed, period: period)
    }
    if let queue { return receive(passed, in: queue, after: last) }
    if let before = held.values.last?.value.receipt {
      if receipt.boot - before.boot < held.period / 2, held.values.count < Self.mostHeld {
        held.values.append(passed)
        return []
      }
      return end() + receive(passed, period: period)
    }
    guard let period, receipt.time >= last.time.advanced(by: period + Self.late) else {
      return [asReceived(passed)]
    }
    held = ([passed], period)
    return []
  }

  /// bluetoothd goes on, and tells what had waited.
  private mutating func receive(
    _ passed: DuplicateFilter.Passed, in queue: Queue, after last: (time: ReceiptTime, arrival: BootTime)
  ) -> [Made] {
    let receipt = passed.value.receipt
    var due = last.time.advanced(by: queue.period)
    if queue.isUntouched {
      guard receipt.boot - queue.stop.end < max(queue.period, Self.late) else {
        // Nothing had waited.
        self.queue = nil
        return [asReceived(passed)]
      }
      // While bluetoothd still told everything, nothing waited.
      if let word = queue.stop.lastWord { due = max(due, receipt.time(at: word)) }
    }
    guard Self.isLate(passed, due, queue.period) else { return [endQueue(with: passed, queue, after: last)] }
    if !queue.isUntouched, receipt.boot - last.arrival >= queue.period / 2 {
      held = ([passed], queue.period)
      return []
    }
    self.queue?.isUntouched = false
    return [concluded(passed, due)]
  }

  /// It came in time: nothing waits any more.
  private mutating func endQueue(
    with passed: DuplicateFilter.Passed, _ queue: Queue, after last: (time: ReceiptTime, arrival: BootTime)
  ) -> Made {
    self.queue = nil
    var made = asReceived(passed)
    let missing = made.time.microseconds(since: last.time.advanced(by: queue.period))
    made.missing = .microseconds(max(0, missing))
    return made
  }

  /// A punctual one did not wait.
  private static func isLate(
    _ passed: DuplicateFilter.Passed, _ due: ReceiptTime, _ period: Duration
  ) -> Bool {
    passed.value.receipt.time > due.advanced(by: period * punctual)
  }

  private mutating func asReceived(_ passed: DuplicateFilter.Passed) -> Made {
    let receipt = passed.value.receipt
    last = (receipt.time, receipt.boot)
    return Made(passed: passed, time: receipt.time)
  }

  private mutating func concluded(_ passed: DuplicateFilter.Passed, _ due: ReceiptTime) -> Made {
    last = (due, passed.value.receipt.boot)
    return Made(passed: passed, time: due, isConcluded: true)
  }
}

extension ReceiptTime {
  fileprivate func advanced(by duration: Duration) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: microsecondsSince1970 &+ Int64(duration / .microseconds(1)))
  }
}

extension Receipt {
  /// The receipt time of something before it.
  fileprivate func time(at earlier: BootTime) -> ReceiptTime {
    time.advanced(by: .zero - (boot - earlier))
  }
}
