import Bluetooth

/// Estimates the times of measurements that arrive late and all at once, because bluetoothd, hrgate or the
/// machine was stopped, or because of a bad radio link.
///
/// A queue preserves the order. So each queued value gets the time of the value before it plus the measuring
/// period, as long as this is not later than its receipt.
///
/// A queue is recognized in three ways:
/// - bluetoothd did not respond and then resumed (``expectQueue(period:_:)``). The values that arrive at once
///   when it resumes were queued. If the kernel's queue was full, measurements are missing between the last
///   queued one and the first one made after bluetoothd resumed. To find this position, the newest values are
///   held until one arrives on time. Counting back from that one in steps of the measuring period shows which
///   of the held values were made after bluetoothd resumed. A busy machine may pause in the middle of a
///   queue, so a value that arrives after a pause is held for half a period. It belongs to the queue if
///   another value follows closely.
/// - A measurement is more than a second late, and another follows within half a period: hrgate or the
///   machine stopped while the clocks continued, or the radio link was interrupted. These values are handled
///   like those of a stopped bluetoothd. To detect this, a late value is held for half a period. A single
///   late value, or a value less than a second late, keeps its receipt time.
/// - Measurements arrive close together, and there are many more than the monitor can have made since the
///   measurement before them (``Burst``): the machine was paused together with its clocks. They get the time
///   at which the machine resumed and are marked, because no clock shows when they were made. Before the
///   measuring period is known, four or more values less than 30 ms apart are such a burst.
struct QueueTimes {
  struct Made: Hashable {
    var passed: DuplicateFilter.Passed
    /// When the monitor made the measurement.
    var time: ReceiptTime
    /// Whether the measurement was queued, so that its time is an estimate.
    var isConcluded = false
    /// The time before this measurement for which measurements are missing.
    var missing = Duration.zero
    /// Whether measurements before this one were dropped, because a queue was full.
    var isAfterLoss = false
  }

  /// A period in which bluetoothd was stopped and did not respond.
  struct Stop: Hashable {
    /// When bluetoothd sent its last message before the stop.
    var lastMessage: BootTime?
    /// When bluetoothd sent its first message after the stop.
    var end: BootTime
  }

  /// The measurements that were queued while bluetoothd was stopped.
  private struct Queue {
    let stop: Stop
    let period: Duration
    /// The time of the last measurement before the queue.
    let start: ReceiptTime
    /// The number of values of the queue that have arrived.
    var count = 0
    /// The newest values, which may have been made after bluetoothd resumed. Their times assume that no value
    /// is missing.
    var newest: [Made] = []

    /// Returns the maximum number of measurements that the monitor can have made between the end of the stop
    /// and `now`.
    func count(until now: BootTime) -> Int { Int((now - stop.end) / period) + 1 }
  }

  /// The assumed measuring period if it is unknown (Heart Rate Service 1.0, §3.1.1.5).
  private static let usualPeriod = Duration.seconds(1)
  /// A value that is later than this gets an estimated time. Other values keep their receipt time, because a
  /// busy machine may delay them by half a second.
  private static let late = Duration.seconds(1)
  /// Maximum delay of a value that is on time, in periods.
  private static let punctual = 0.2
  /// Maximum number of values to hold at the end of a queue.
  private static let mostHeld = 256
  /// Values that arrive less than this apart may be a burst. The limit is less than 250 ms. So for a monitor
  /// that sends four values per second, the measuring period is not computed for each value.
  private static let close = Duration.milliseconds(200)
  /// Minimum length of a gap in a queue, as a fraction of the time since the last measurement before the
  /// queue. A shorter gap may merely be an error of the estimated measuring period.
  private static let inexact = 0.05
  /// A gap in a queue that is at least this long is reported even if it is shorter than the fraction
  /// ``inexact``.
  private static let longestUnreported = Duration.seconds(5)
  /// Minimum length of a gap that is reported, in measuring periods. It is more than one lost value plus the
  /// jitter.
  private static let reportedLoss = 1.5

  private var last: (time: ReceiptTime, arrival: BootTime)?
  private var queue: Queue?
  /// A late value and the measuring period. The value may be the first of a queue or, in a queue, the first
  /// after a pause.
  private var held: (value: DuplicateFilter.Passed, period: Duration)?
  private var burst: Burst?
  /// The measuring period from before the last burst. It is needed because the period is unknown for a while
  /// after a burst.
  private var burstPeriod: Duration?
  /// Whether the current burst was too large to be a queue.
  private var isFlooded = false
  /// Whether measurements are missing before the next value, because a queue was full.
  private var isLossPending = false
  /// Whether the receipt times since the last call of ``takeUnsteady()`` do not reflect the measuring period.
  private var isUnsteady = false

  mutating func takeUnsteady() -> Bool {
    defer { isUnsteady = false }
    return isUnsteady
  }

  /// Treats the next values as queued if they arrive soon.
  mutating func expectQueue(period: Duration?, _ stop: Stop) {
    guard let last, queue == nil, held == nil, burst == nil else { return }
    queue = Queue(stop: stop, period: period ?? Self.usualPeriod, start: last.time)
  }

  /// Forgets earlier receipt times, because the clock changed or signals were lost.
  mutating func clear() {
    last = nil
    queue = nil
    isFlooded = false
  }

  /// Whether no value is held or expected, and a value with this receipt time is on time for any measuring
  /// period.
  func isIdle(at receipt: Receipt) -> Bool {
    guard let last, queue == nil, held == nil, burst == nil, !isLossPending else { return false }
    return receipt.time <= last.time.advanced(by: Self.late) && !isClose(receipt)
  }

  /// Whether a value arrived so soon after the last one that it may be part of a burst.
  func isClose(_ receipt: Receipt) -> Bool {
    // While a queue is read, its period is already known. Returning `false` saves computing the period for
    // each of hundreds of values.
    queue == nil && last.map { receipt.boot - $0.arrival < Self.close } ?? false
  }

  /// Records a value that arrived while ``isIdle(at:)`` was true.
  mutating func pass(_ receipt: Receipt) { last = (receipt.time, receipt.boot) }

  /// Whether the measuring period is needed to compute the time of one of these values.
  func wantsPeriod(for values: [DuplicateFilter.Passed]) -> Bool {
    guard let last, queue == nil else { return false }
    return values.contains { $0.value.receipt.time > last.time.advanced(by: Self.late) }
  }

  /// - Parameters:
  ///   - values: The next measurements, in order.
  ///   - period: The monitor's measuring period; `nil` if it is unknown or not needed.
  /// - Returns: The measurements to pass on.
  mutating func receive(_ values: [DuplicateFilter.Passed], period: Duration?) -> [Made] {
    values.flatMap { receive($0, period: period) }
  }

  /// When held values have to be emitted with ``flush(at:)``.
  var deadline: BootTime? {
    if let held { return held.value.value.receipt.boot + held.period / 2 }
    // Wait for two periods: the next value that arrives on time shows when the queued values were made.
    if let queue, !queue.newest.isEmpty { return last.map { $0.arrival + queue.period * 2 } }
    return burst?.deadline
  }

  mutating func flush(at now: BootTime) -> [Made] {
    deadline.map { $0 <= now } == true ? end() : []
  }

  /// Returns all held values with their times.
  mutating func end() -> [Made] {
    let value = held?.value
    held = nil
    if let queue {
      if let last, let value { return endQueue(with: value, queue, after: last) }
      self.queue?.newest = []
      return queue.newest
    }
    if let burst {
      guard let waiting = burst.waiting else { return endBurst(before: nil) }
      return endBurst(before: waiting.value.receipt) + [asReceived(waiting)]
    }
    return value.map { [asReceived($0)] } ?? []
  }

  // MARK: - One measurement

  private mutating func receive(_ passed: DuplicateFilter.Passed, period: Duration?) -> [Made] {
    let receipt = passed.value.receipt
    guard let last else { return [asReceived(passed)] }
    if let queue, let waiting = held?.value {
      held = nil
      let isCloseBehind = receipt.boot - waiting.value.receipt.boot < queue.period / 2
      let made =
        isCloseBehind
        ? queued(waiting, last.time.advanced(by: queue.period)) : endQueue(with: waiting, queue, after: last)
      return made + receive(passed, period: period)
    }
    if let queue { return receive(passed, in: queue, after: last) }
    if let (first, heldPeriod) = held {
      let resumed = first.value.receipt.boot
      guard receipt.boot - resumed < heldPeriod / 2 else { return end() + receive(passed, period: period) }
      held = nil
      let queue = Queue(stop: Stop(lastMessage: nil, end: resumed), period: heldPeriod, start: last.time)
      self.queue = queue
      return receive(first, in: queue, after: last) + receive(passed, period: period)
    }
    if let burst { return receive(passed, period, in: burst) }
    guard isClose(receipt) else {
      isFlooded = false
      guard let period, receipt.time >= last.time.advanced(by: period + Self.late) else {
        return [asReceived(passed)]
      }
      held = (passed, period)
      return []
    }
    let known = period ?? burstPeriod
    let closeness = known.map { $0 / 4 } ?? Burst.closeWithoutPace
    guard !isFlooded, !passed.mayBeCopy, receipt.boot - last.arrival < closeness else {
      return [asReceived(passed)]
    }
    burst = Burst(
      period: known ?? Self.usualPeriod, isPaceKnown: known != nil, start: last.arrival, values: [passed])
    return []
  }

  private mutating func receive(
    _ passed: DuplicateFilter.Passed, _ period: Duration?, in burst: Burst
  ) -> [Made] {
    let receipt = passed.value.receipt
    var burst = burst
    if burst.isTentative, receipt.boot - burst.newest >= Burst.closeWithoutPace {
      return end() + receive(passed, period: period)
    }
    if let waiting = burst.waiting {
      guard receipt.boot - waiting.value.receipt.boot < burst.period / 4 else {
        return end() + receive(passed, period: period)
      }
      burst.values += [waiting, passed]
      burst.waiting = nil
    } else if receipt.boot - burst.newest < burst.period / 2 {
      burst.values.append(passed)
    } else {
      burst.waiting = passed
    }
    self.burst = burst
    guard burst.isTooLarge else { return [] }
    isFlooded = true
    return end()
  }

  /// Receives a value after bluetoothd has resumed, while it sends the queued values.
  private mutating func receive(
    _ passed: DuplicateFilter.Passed, in queue: Queue, after last: (time: ReceiptTime, arrival: BootTime)
  ) -> [Made] {
    let receipt = passed.value.receipt
    var due = last.time.advanced(by: queue.period)
    if queue.count == 0 {
      guard receipt.boot - queue.stop.end < max(queue.period, Self.late) else {
        // This value arrived too long after bluetoothd resumed to have been queued.
        self.queue = nil
        return [asReceived(passed)]
      }
      // bluetoothd had sent everything up to its last message, so queued values were made after it.
      if let word = queue.stop.lastMessage { due = max(due, receipt.time(at: word)) }
    }
    guard Self.isLate(passed, due, queue.period) else { return endQueue(with: passed, queue, after: last) }
    if queue.count > 0, receipt.boot - last.arrival >= queue.period / 2 {
      held = (passed, queue.period)
      return []
    }
    return queued(passed, due)
  }

  /// Adds a value to the queue and holds it.
  ///
  /// - Returns: The older held values, which must have been measured before bluetoothd resumed.
  private mutating func queued(_ passed: DuplicateFilter.Passed, _ due: ReceiptTime) -> [Made] {
    guard var queue else { return [concluded(passed, due)] }
    queue.count += 1
    queue.newest.append(concluded(passed, due))
    let most = min(queue.count(until: passed.value.receipt.boot), Self.mostHeld)
    let released = Array(queue.newest.dropLast(most))
    queue.newest.removeFirst(released.count)
    self.queue = queue
    return released
  }

  /// Ends the queue with a value that arrived on time.
  private mutating func endQueue(
    with passed: DuplicateFilter.Passed, _ queue: Queue, after last: (time: ReceiptTime, arrival: BootTime)
  ) -> [Made] {
    self.queue = nil
    var made = queue.newest
    made.append(asReceived(passed))
    let receipt = passed.value.receipt
    let missing = Duration.microseconds(
      max(0, receipt.time.microseconds(since: last.time.advanced(by: queue.period))))
    let all = Duration.microseconds(receipt.time.microseconds(since: queue.start))
    // The kernel drops values only when its queue is full. If it was, even a short gap probably means that
    // values were dropped.
    let inexact = queue.count >= Burst.fullQueue ? .zero : all * Self.inexact
    guard missing >= min(Self.longestUnreported, max(queue.period * Self.reportedLoss, inexact)) else {
      made[made.count - 1].missing = missing
      return made
    }
    let first = placeBack(
      &made[..<(made.count - 1)], from: receipt, period: queue.period, notBefore: queue.stop.end)
    made[first].missing = missing
    made[first].isAfterLoss = true
    return made
  }

  /// Sets the times of the values before one that arrived on time: each is one measuring period before the
  /// next, back to `earliest`.
  ///
  /// - Returns: The index of the first value that was made after `earliest`.
  private func placeBack(
    _ made: inout ArraySlice<Made>, from receipt: Receipt, period: Duration, notBefore earliest: BootTime
  ) -> Int {
    var first = made.endIndex
    var back = period
    while first > made.startIndex, receipt.boot - earliest > back {
      first -= 1
      let due = receipt.time.advanced(by: .zero - back)
      let own = made[first].passed.value.receipt
      made[first].isConcluded = own.time > due.advanced(by: period * Self.punctual)
      made[first].time = made[first].isConcluded ? due : own.time
      back += period
    }
    return first
  }

  /// Ends a burst of values that arrived at once, and returns them with their times.
  ///
  /// The machine resumed when the first value of the burst arrived. Values that were made before that get the
  /// time of that arrival, because no clock shows when they were made. Values made later are one measuring
  /// period apart.
  ///
  /// - Parameter next: The receipt of the first value after the burst that arrived without delay; `nil` if no
  ///   such value has arrived.
  private mutating func endBurst(before next: Receipt?) -> [Made] {
    guard let burst, let resumed = burst.values.first?.value.receipt else { return [] }
    self.burst = nil
    if burst.isPaceKnown { burstPeriod = burst.period }
    var made = burst.values.map { asReceived($0) }
    guard burst.isQueue, !burst.isTentative else { return made }
    isUnsteady = true
    let first =
      next.map { placeBack(&made[1...], from: $0, period: burst.period, notBefore: resumed.boot) }
      ?? made.count
    for index in made.indices.prefix(first) {
      made[index].time = resumed.time
      made[index].isConcluded = true
    }
    if let newest = made.last { last = (newest.time, newest.passed.value.receipt.boot) }
    guard burst.mayLackValues else { return made }
    if first < made.count { made[first].isAfterLoss = true } else { isLossPending = true }
    return made
  }

  /// Whether a value arrived so long after `due` that it must have been queued.
  private static func isLate(
    _ passed: DuplicateFilter.Passed, _ due: ReceiptTime, _ period: Duration
  ) -> Bool {
    passed.value.receipt.time > due.advanced(by: period * punctual)
  }

  private mutating func asReceived(_ passed: DuplicateFilter.Passed) -> Made {
    let receipt = passed.value.receipt
    last = (receipt.time, receipt.boot)
    defer { isLossPending = false }
    return Made(passed: passed, time: receipt.time, isAfterLoss: isLossPending)
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
  /// Returns the receipt-clock time of an earlier moment of the boot clock.
  fileprivate func time(at earlier: BootTime) -> ReceiptTime {
    time.advanced(by: .zero - (boot - earlier))
  }
}
