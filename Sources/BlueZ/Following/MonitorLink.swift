import Bluetooth
import DBus

/// One link to a monitor, from its first sign (a measurement or bluetoothd's report) to its end.
struct MonitorLink {
  /// The subscription to the measurements.
  enum Subscription: Hashable {
    /// There is no subscription, and none is requested before this time.
    case wanted(notBefore: BootTime?)
    /// StartNotify, or the StopNotify before it, was sent and has not been answered yet.
    case requested
    case active(ObjectPath, since: BootTime)
  }

  /// A Disconnect that this program requested.
  struct Closing {
    let cause: GapCause
    let since: BootTime
  }

  /// The part of the state that exists only once bluetoothd has reported the link.
  struct EstablishedLink {
    let device: ObjectPath
    let since: BootTime
    /// Whether the link existed before bluetoothd or its adapter appeared.
    let wasFound: Bool
    /// When bluetoothd began to discover the services; `nil` once they are known.
    var resolvingSince: BootTime?
    /// When the discovery of services ended.
    private(set) var resolved: BootTime?
    var subscription = Subscription.wanted(notBefore: nil)
    /// Whether StartNotify failed with the error that bluetoothd returns for unanswered requests when a link
    /// ends.
    var wasCutShort = false
    var closing: Closing?
    /// Whether measurements have stopped arriving. A gap was reported, and the subscription was repeated.
    var isSilent = false
    /// The number of unanswered reads of the monitor's description; `nil` before the first read of this link.
    var outstandingReads: Int?

    init(device: ObjectPath, since: BootTime, wasFound: Bool) {
      self.device = device
      self.since = since
      self.wasFound = wasFound
      resolvingSince = since
    }

    /// Whether StartNotify was unanswered when the link ended.
    var wasSubscribing: Bool { subscription == .requested || wasCutShort }

    /// Restarts running timeouts at `now`.
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

    /// Allows the subscription to be requested at once.
    mutating func allowSubscription() {
      if case .wanted = subscription { subscription = .wanted(notBefore: nil) }
    }
  }

  /// The result of receiving a value: measurements to emit, and information for ``FollowingMachine``.
  struct Received {
    var values: [QueueTimes.Made] = []
    /// The number of copies that were dropped.
    var dropped = 0
    /// Whether the value is the first sign that the link exists.
    var isFirstSign = false
    /// Whether this is the first measurement of the link, or the first after a silence.
    var isFirst = false
    /// Whether more measurements are held, because they may be copies or late.
    var isHolding = false
  }

  /// `nil` until bluetoothd reports the link. Measurements may arrive earlier.
  var established: EstablishedLink?
  /// When the last measurement arrived; `nil` before the first.
  private(set) var lastValue: BootTime?
  private var duplicates = DuplicateFilter()
  private var queue = QueueTimes()

  var hasMeasured: Bool { lastValue != nil }

  /// When to emit a held measurement, which may be a copy or late.
  var heldDeadline: BootTime? {
    guard let first = duplicates.deadline, let second = queue.deadline else {
      return duplicates.deadline ?? queue.deadline
    }
    return min(first, second)
  }

  // MARK: - Measurements

  mutating func receive(_ value: DuplicateFilter.Value) -> Received {
    let isFirst = !hasMeasured || established?.isSilent == true
    lastValue = value.receipt.boot
    if isFirst {
      established?.isSilent = false
      established?.allowSubscription()
    }
    // A value that comes very early would distort the estimated period. So for a burst of values, use the
    // period from before it.
    let period = queue.isClose(value.receipt) ? duplicates.periodBefore : nil
    let values = timed(duplicates.receive(value), period: period)
    return Received(
      values: values, dropped: duplicates.drainDropped(), isFirst: isFirst, isHolding: heldDeadline != nil)
  }

  /// Accepts a measurement without further checks, if it is not the first of the link, cannot be a copy, and
  /// is on time.
  ///
  /// - Returns: `false`, without changing anything, if one of these is uncertain.
  mutating func pass(_ value: DuplicateFilter.Value) -> Bool {
    guard hasMeasured, established?.isSilent != true, queue.isIdle(at: value.receipt),
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
    return Received(values: values, dropped: duplicates.drainDropped())
  }

  mutating func flushAll() -> Received {
    let values = timed(duplicates.end()) + queue.end()
    return Received(values: values, dropped: duplicates.drainDropped())
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

  /// Whether to ping bluetoothd now, because its reply would reveal which values are copies.
  var wantsSeparator: Bool { duplicates.wantsSeparator }

  mutating func recordSeparator() { duplicates.recordSeparator() }

  /// Handles the end of a period in which bluetoothd was stopped. The next measurements were queued.
  mutating func resume(after stop: QueueTimes.Stop) {
    queue.expectQueue(period: duplicates.period, stop)
    established?.resume(at: stop.end)
  }

  /// Forgets earlier receipt times, because later ones cannot be compared with them. Call ``flushAll()``
  /// first, so that no measurement is held.
  ///
  /// - Parameter isLossy: Whether measurements may be missing.
  mutating func resetTimes(isLossy: Bool) {
    queue.clear()
    if isLossy { duplicates.recordLoss() }
  }

  // MARK: - State of the link

  /// Whether the last measurement arrived several seconds ago but bluetoothd has still not reported a link.
  func isForsaken(by policy: FollowingPolicy, now: BootTime) -> Bool {
    established == nil && lastValue.map { now - $0 >= policy.settling } ?? true
  }

  /// Whether the link lasted long enough to reset the delays between attempts.
  func wasSteady(by policy: FollowingPolicy, now: BootTime) -> Bool {
    hasMeasured && established.map { now - $0.since >= policy.steadyAfter } ?? false
  }

  /// The deadline of service discovery; `nil` once the services are known.
  func resolvingDeadline(by policy: FollowingPolicy) -> BootTime? {
    guard let established, let since = established.resolvingSince else { return nil }
    return max(since, lastValue ?? since) + (established.wasFound ? policy.resolvingFound : policy.resolving)
  }

  /// Since when no measurement has arrived despite an active subscription; `nil` without a subscription.
  var quietSince: BootTime? {
    guard case .active(_, let since)? = established?.subscription else { return nil }
    return max(lastValue ?? since, since)
  }
}
