import Bluetooth
import DBus

/// One link to a monitor, from its first sign to its end. The pipeline knows of it.
struct MonitorLink {
  /// The subscription to the measurements.
  enum Subscription: Hashable {
    /// There is none, and none is asked for before this.
    case wanted(notBefore: BootTime?)
    /// StartNotify, or StopNotify before it, is on its way.
    case requested
    case active(ObjectPath, since: BootTime)
  }

  /// We are ending the link.
  struct Closing {
    let cause: GapCause
    let since: BootTime
  }

  /// The link as bluetoothd tells it.
  struct Standing {
    let device: ObjectPath
    let since: BootTime
    /// It stood already when bluetoothd came.
    let wasFound: Bool
    /// Since when the services are being read; `nil` once they are known.
    var resolvingSince: BootTime?
    /// When the services were resolved.
    private(set) var resolved: BootTime?
    var subscription = Subscription.wanted(notBefore: nil)
    /// The subscription was answered as bluetoothd answers whatever it had asked when a link ends.
    var wasCutShort = false
    var closing: Closing?
    /// The gap of this silence was told, and the subscription was made anew.
    var isSilent = false
    /// Reads whose answers the description waits for; `nil` before the description began.
    var outstandingReads: Int?

    init(device: ObjectPath, since: BootTime, wasFound: Bool) {
      self.device = device
      self.since = since
      self.wasFound = wasFound
      resolvingSince = since
    }

    /// A subscription was on its way when the link ended.
    var wasSubscribing: Bool { subscription == .requested || wasCutShort }

    /// What bluetoothd did not do or say by now counts from now on.
    mutating func resume(at now: BootTime) {
      if resolvingSince != nil { resolvingSince = now }
      if case .active(let path, let since) = subscription {
        subscription = .active(path, since: max(since, now))
      }
    }

    mutating func endResolving(at now: BootTime) {
      resolvingSince = nil
      resolved = now
    }

    /// A subscription need not wait any longer.
    mutating func allowSubscription() {
      if case .wanted = subscription { subscription = .wanted(notBefore: nil) }
    }
  }

  /// What came of measurements.
  struct Received {
    var values: [QueueTimes.Made] = []
    /// How many copies were left out.
    var dropped = 0
    /// It is the first sign of the link.
    var isFirstSign = false
    /// It is the first of the link, or after a silence.
    var isFirst = false
    /// More is held back.
    var isHolding = false
  }

  /// `nil` while only values have come: bluetoothd may signal them before it says that the link stands.
  var standing: Standing?
  /// When the last measurement came; `nil` before the first.
  private(set) var lastValue: BootTime?
  private var duplicates = DuplicateFilter()
  private var queue = QueueTimes()

  var hasMeasured: Bool { lastValue != nil }

  /// When a value that is held back is due.
  var heldDeadline: BootTime? {
    guard let first = duplicates.deadline, let second = queue.deadline else {
      return duplicates.deadline ?? queue.deadline
    }
    return min(first, second)
  }

  // MARK: - Measurements

  mutating func receive(_ value: DuplicateFilter.Value) -> Received {
    let isFirst = !hasMeasured || standing?.isSilent == true
    lastValue = value.receipt.boot
    if isFirst {
      standing?.isSilent = false
      standing?.allowSubscription()
    }
    // An early value changes the estimated pace, so a burst uses the pace without it.
    let period = queue.isClose(value.receipt) ? duplicates.periodBefore : nil
    let values = timed(duplicates.receive(value), period: period)
    return Received(
      values: values, dropped: duplicates.takeDropped(), isFirst: isFirst, isHolding: heldDeadline != nil)
  }

  /// Takes a measurement of which nothing has to be found out: not the first, certainly no copy, and in time.
  ///
  /// - Returns: Whether it is that; else nothing has changed.
  mutating func pass(_ value: DuplicateFilter.Value) -> Bool {
    guard hasMeasured, standing?.isSilent != true, queue.isIdle(at: value.receipt),
      duplicates.passAlone(value)
    else { return false }
    lastValue = value.receipt.boot
    queue.pass(value.receipt)
    return true
  }

  mutating func flush(at now: BootTime) -> Received {
    var values = timed(duplicates.flush(at: now))
    values += queue.flush(at: now)
    forgetPaceAfterBurst()
    return Received(values: values, dropped: duplicates.takeDropped())
  }

  mutating func flushAll() -> Received {
    let values = timed(duplicates.end()) + queue.end()
    return Received(values: values, dropped: duplicates.takeDropped())
  }

  private mutating func timed(
    _ values: [DuplicateFilter.Passed], period: Duration? = nil
  ) -> [QueueTimes.Made] {
    let period = period ?? (queue.wantsPeriod(for: values) ? duplicates.period : nil)
    defer { forgetPaceAfterBurst() }
    return queue.receive(values, period: period)
  }

  private mutating func forgetPaceAfterBurst() {
    if queue.takeUnsteady() { duplicates.forgetPace() }
  }

  /// An answer of bluetoothd, asked for now, would show which values are copies.
  var wantsSeparator: Bool { duplicates.wantsSeparator }

  mutating func noteSeparator() { duplicates.noteSeparator() }

  /// bluetoothd stood still, and goes on: what comes now had waited.
  mutating func resume(after stop: QueueTimes.Stop) {
    queue.expectQueue(period: duplicates.period, stop)
    standing?.resume(at: stop.end)
  }

  /// The times of what comes do not go on from those before. Nothing is held.
  ///
  /// - Parameter isLossy: Measurements may be missing between.
  mutating func beginTimesAnew(isLossy: Bool) {
    queue.beginAnew()
    if isLossy { duplicates.noteLoss() }
  }

  // MARK: - Judging it

  /// Measurements came before bluetoothd said that the link stands, and it does not say so.
  func isForsaken(by policy: FollowingPolicy, now: BootTime) -> Bool {
    standing == nil && lastValue.map { now - $0 >= policy.settling } ?? true
  }

  /// One that lasts for a moment each time is not better than none.
  func wasSteady(by policy: FollowingPolicy, now: BootTime) -> Bool {
    hasMeasured && standing.map { now - $0.since >= policy.steadyAfter } ?? false
  }

  /// When the services should have been resolved; `nil` once they are.
  func resolvingDeadline(by policy: FollowingPolicy) -> BootTime? {
    guard let standing, let since = standing.resolvingSince else { return nil }
    return max(since, lastValue ?? since) + (standing.wasFound ? policy.resolvingFound : policy.resolving)
  }

  /// Since when nothing has come over the subscription; `nil` where there is none.
  var quietSince: BootTime? {
    guard case .active(_, let since)? = standing?.subscription else { return nil }
    return max(lastValue ?? since, since)
  }
}
