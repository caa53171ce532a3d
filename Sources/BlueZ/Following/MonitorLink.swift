import Bluetooth
import DBus

/// One link to a monitor, from its first sign to its end. Events of it have been emitted.
struct MonitorLink {
  /// The subscription to the measurements.
  enum Subscription: Hashable {
    /// There is no subscription, and none is requested before this time.
    case wanted(notBefore: BootTime?)
    /// StartNotify, or the StopNotify before it, has not been answered.
    case requested
    case active(ObjectPath, since: BootTime)
  }

  /// An ending of the link that we requested.
  struct Closing {
    let cause: GapCause
    let since: BootTime
  }

  /// The link as bluetoothd reports it.
  struct Standing {
    let device: ObjectPath
    let since: BootTime
    /// The link existed before bluetoothd or its adapter appeared.
    let wasFound: Bool
    /// Since when bluetoothd has been resolving the services; `nil` once they are known.
    var resolvingSince: BootTime?
    /// When the services were resolved.
    private(set) var resolved: BootTime?
    var subscription = Subscription.wanted(notBefore: nil)
    /// StartNotify failed with the error that bluetoothd returns for pending requests when a link ends.
    var wasCutShort = false
    var closing: Closing?
    /// The gap of the current silence was reported, and the subscription was repeated.
    var isSilent = false
    /// The number of unanswered reads of the monitor's description; `nil` before the first read.
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

    /// Allows a subscription at once.
    mutating func allowSubscription() {
      if case .wanted = subscription { subscription = .wanted(notBefore: nil) }
    }
  }

  /// The result of receiving measurements.
  struct Received {
    var values: [QueueTimes.Made] = []
    /// The number of copies that were dropped.
    var dropped = 0
    /// This is the first sign of the link.
    var isFirstSign = false
    /// This is the first measurement of the link or after a silence.
    var isFirst = false
    /// More values are held.
    var isHolding = false
  }

  /// `nil` while only values have arrived: bluetoothd may signal them before it reports the link.
  var standing: Standing?
  /// When the last measurement arrived; `nil` before the first.
  private(set) var lastValue: BootTime?
  private var duplicates = DuplicateFilter()
  private var queue = QueueTimes()

  var hasMeasured: Bool { lastValue != nil }

  /// When a held value has to be released.
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

  /// Passes a measurement on unchanged: not the first, certainly no copy, and in time.
  ///
  /// - Returns: `false` if one of these is not certain; then nothing has changed.
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

  /// Whether a reply from bluetoothd, requested now, would show which values are copies.
  var wantsSeparator: Bool { duplicates.wantsSeparator }

  mutating func noteSeparator() { duplicates.noteSeparator() }

  /// Handles the end of a stop of bluetoothd: the next values were queued.
  mutating func resume(after stop: QueueTimes.Stop) {
    queue.expectQueue(period: duplicates.period, stop)
    standing?.resume(at: stop.end)
  }

  /// Forgets previous times, because later ones do not continue them. Held values have to be flushed first.
  ///
  /// - Parameter isLossy: Whether measurements may be missing.
  mutating func beginTimesAnew(isLossy: Bool) {
    queue.beginAnew()
    if isLossy { duplicates.noteLoss() }
  }

  // MARK: - State of the link

  /// Whether measurements arrived, but bluetoothd has not reported the link since.
  func isForsaken(by policy: FollowingPolicy, now: BootTime) -> Bool {
    standing == nil && lastValue.map { now - $0 >= policy.settling } ?? true
  }

  /// Whether the link measured for long enough. Links that last for a moment do not reset the retry delays.
  func wasSteady(by policy: FollowingPolicy, now: BootTime) -> Bool {
    hasMeasured && standing.map { now - $0.since >= policy.steadyAfter } ?? false
  }

  /// When the services should be resolved; `nil` once they are.
  func resolvingDeadline(by policy: FollowingPolicy) -> BootTime? {
    guard let standing, let since = standing.resolvingSince else { return nil }
    return max(since, lastValue ?? since) + (standing.wasFound ? policy.resolvingFound : policy.resolving)
  }

  /// Since when no measurement has arrived over the subscription; `nil` if there is no subscription.
  var quietSince: BootTime? {
    guard case .active(_, let since)? = standing?.subscription else { return nil }
    return max(lastValue ?? since, since)
  }
}
