import Bluetooth
import DBus

/// The state of a followed monitor that bluetoothd's objects do not contain, such as the time of the next
/// attempt to connect. ``FollowingMachine`` keeps it.
struct Monitor {
  let address: BluetoothAddress
  /// The last reported name.
  private(set) var name: String?
  /// The adapter of the last link. It is tried first.
  private(set) var preferredAdapter: BluetoothAddress?
  /// Whether bluetoothd is bonded with the monitor.
  private(set) var isPaired = false
  private(set) var wantsEnergyReset: Bool
  /// The last reported battery level. It is kept after the link ends, because bluetoothd reports the same
  /// level again in the next one.
  private(set) var battery: UInt8?

  // MARK: Reported state
  /// Whether bluetoothd had a bond with the monitor when the monitor was added.
  let wasBonded: Bool
  /// The last reported state; `nil` before the first report.
  private(set) var state: FollowState?
  var detail: String?
  /// Whether ``state`` is a problem of the monitor that was only inferred: a weak signal may also be the
  /// cause.
  private(set) var isFailureInDoubt = false
  /// Since when the state is `away` or `connecting`; `nil` in other states.
  private(set) var awaySince: BootTime?

  // MARK: Connecting
  private(set) var attempt: ConnectionAttempt?
  /// Consecutive attempts to connect that failed.
  private(set) var fruitlessAttempts = 0
  var nextAttempt: BootTime
  private var backOff: BackOff
  /// The adapter of the last failed attempt, if there is another adapter to try.
  private(set) var lastFailedAdapter: ObjectPath?
  /// The monitor's device objects to which the kernel is kept from connecting until the next Connect.
  private(set) var keptFromKernel: Set<ObjectPath> = []
  /// The durations of the last links that the monitor itself ended.
  private(set) var timing = RefusedTiming()
  /// When the last link ended.
  private var linkEnd: BootTime?
  /// The current series of links that ended right after they were established; `nil` without such links.
  private var shortLinks: ShortLinks?
  private var bond = BondTrial()
  /// The last link, even if it has already ended.
  private var lastLink: (device: ObjectPath, since: BootTime)?
  /// Delay after a series of short links. It grows with each series.
  private var restBackOff: BackOff
  /// No connection is attempted before this time, because of a series of short links.
  private(set) var restUntil: BootTime?

  // MARK: The link
  /// The current link; `nil` while the monitor is not connected. All state of a link is in this value, so the
  /// next link starts without it.
  private(set) var link: MonitorLink?
  /// Consecutive links that were closed because no measurement arrived.
  private var silentRounds = 0
  /// The time before which not to remove bluetoothd's cached attributes; `nil` after a measurement has
  /// arrived.
  private var nextRefresh: BootTime?
  private var refreshBackOff: BackOff

  init(_ monitor: FollowedMonitor, policy: FollowingPolicy, now: BootTime) {
    address = monitor.address
    name = monitor.name
    preferredAdapter = monitor.preferredAdapter
    wasBonded = monitor.isBonded
    wantsEnergyReset = monitor.resetsEnergy
    backOff = BackOff(first: policy.firstRetry, longest: policy.longestRetry)
    restBackOff = BackOff(first: policy.firstRetry, longest: policy.longestRest)
    refreshBackOff = BackOff(first: policy.firstRefresh, longest: policy.longestRefresh)
    nextAttempt = now
  }

  var peripheral: PeripheralIdentity { .address(address) }

  /// Whether the state is a problem of the monitor itself, such as a lost bond. Such a state is kept until a
  /// link shows that the problem is solved.
  var isFailing: Bool { state?.isAboutTheMonitor == true }

  // MARK: - Reported state

  /// - Returns: Whether the state has changed and must be reported.
  mutating func set(_ state: FollowState, detail: String?, now: BootTime) -> Bool {
    awaySince = [.away, .connecting].contains(state) ? awaySince ?? now : nil
    guard self.state != state || (detail != nil && self.detail != detail) else { return false }
    self.state = state
    self.detail = detail
    isFailureInDoubt = false
    return true
  }

  mutating func doubtFailure() { isFailureInDoubt = true }

  /// - Returns: Whether the level has changed and must be reported.
  mutating func setBattery(_ level: UInt8) -> Bool {
    defer { battery = level }
    return battery != level
  }

  /// - Returns: Whether the name has changed and must be reported.
  mutating func setName(_ name: String) -> Bool {
    defer { self.name = name }
    return self.name != name
  }

  mutating func endEnergyReset() { wantsEnergyReset = false }

  // MARK: - Connecting

  mutating func beginAttempt(_ attempt: ConnectionAttempt) {
    self.attempt = attempt
    keptFromKernel.remove(attempt.device)
  }

  mutating func cancelAttempt(at now: BootTime) { attempt?.cancel(at: now) }

  /// Records that another client is already connecting, so that the attempt is now that client's.
  mutating func leaveAttemptToOtherProgram(at now: BootTime) { attempt?.becomeForeign(at: now) }

  mutating func endAttempt() { attempt = nil }

  /// - Parameter adapter: The adapter that failed, if there is another adapter to try.
  mutating func failAttempt(by adapter: ObjectPath?) {
    attempt = nil
    lastFailedAdapter = adapter
  }

  mutating func countFruitlessAttempt() { fruitlessAttempts += 1 }

  /// - Parameter longest: Maximum delay until the next attempt.
  mutating func retryLater(within longest: Duration, chance: Double, now: BootTime) {
    nextAttempt = now + min(backOff.delay(random: chance), longest)
  }

  mutating func keepKernel(from device: ObjectPath) { keptFromKernel.insert(device) }

  /// Counts another link that ended right after it was established.
  ///
  /// - Parameter wasSubscribing: Whether StartNotify was still unanswered.
  /// - Returns: The series of such links, if it is too long for a coincidence.
  mutating func countShortLink(
    wasSubscribing: Bool, by policy: FollowingPolicy, now: BootTime
  ) -> ShortLinks? {
    if let row = shortLinks, now - row.first <= policy.quickFailuresWithin {
      shortLinks?.count += 1
      shortLinks?.wereSubscribing = row.wereSubscribing && wasSubscribing
    } else {
      shortLinks = ShortLinks(first: now, wereSubscribing: wasSubscribing)
    }
    return shortLinks.flatMap { $0.count >= policy.quickFailuresInARow ? $0 : nil }
  }

  mutating func forgetFailures() {
    shortLinks = nil
    bond.dismiss()
  }

  /// Pauses attempts to connect for a while.
  mutating func rest(chance: Double, now: BootTime) {
    restUntil = now + restBackOff.delay(random: chance)
    shortLinks = nil
  }

  // MARK: - The bond

  mutating func proveBond() { bond.dismiss() }

  /// - Returns: The number of consecutive connections that could not be encrypted.
  mutating func refuseBond(by policy: FollowingPolicy, now: BootTime) -> Int {
    bond.refuse(at: now, within: policy.quickFailuresWithin)
    return bond.refusals
  }

  /// Returns when the last link began; `nil` if it began before `time` or belongs to another device object.
  func beginOfLink(to device: ObjectPath, since time: BootTime) -> BootTime? {
    lastLink.flatMap { $0.device == device && $0.since >= time ? $0.since : nil }
  }

  // MARK: - The link

  /// Records that bluetoothd reports a link.
  ///
  /// - Parameters:
  ///   - adapter: The adapter's address.
  ///   - isAdapterNew: Whether the adapter has just appeared on D-Bus. If so, and this program is not
  ///     connecting, the link existed before.
  /// - Returns: Whether this report is the first sign of the link; `false` if a measurement arrived before
  ///   it.
  mutating func beginLink(
    by device: ObjectPath, adapter: BluetoothAddress?, isAdapterNew: Bool, now: BootTime
  ) -> Bool {
    let isFirstSign = link == nil
    if isFirstSign { link = MonitorLink() }
    link?.established = MonitorLink.EstablishedLink(
      device: device, since: now, wasFound: attempt == nil && isAdapterNew)
    lastLink = (device, now)
    attempt = nil
    fruitlessAttempts = 0
    lastFailedAdapter = nil
    preferredAdapter = adapter
    return isFirstSign
  }

  /// - Parameter isByItself: Whether the monitor ended the link, and not this program or the adapter,
  ///   according to bluetoothd's signals.
  mutating func endLink(isByItself: Bool, now: BootTime) {
    let begun = link?.established.flatMap { $0.wasFound ? nil : $0.since }
    timing.note(isByItself ? begun.map { now - $0 } : nil)
    link = nil
    linkEnd = now
  }

  /// Handles an adapter that was switched off or removed. bluetoothd reports the end of the adapter's links
  /// first, so a link that has just ended was not ended by the monitor.
  mutating func loseAdapter(_ adapter: ObjectPath, now: BootTime) {
    guard lastLink?.device.parent == adapter, let linkEnd, now - linkEnd < .seconds(1) else { return }
    timing.note(nil)
  }

  /// - Returns: The result of `change`; `nil`, without changing anything, if bluetoothd reports no link.
  mutating func updateLink<Result>(_ change: (inout MonitorLink.EstablishedLink) -> Result) -> Result? {
    guard var established = link?.established else { return nil }
    defer { link?.established = established }
    return change(&established)
  }

  /// Records that StartNotify was sent.
  mutating func requestSubscription() { link?.established?.subscription = .requested }

  /// Receives a measurement. It may arrive before bluetoothd reports the link.
  mutating func receive(_ value: DuplicateFilter.Value) -> MonitorLink.Received {
    let isFirstSign = link == nil
    if isFirstSign { link = MonitorLink() }
    var received = link?.receive(value) ?? MonitorLink.Received()
    received.isFirstSign = isFirstSign
    if received.isFirst { resetFailures() }
    return received
  }

  /// Accepts a measurement without further checks in the usual case: this program is the only subscriber, the
  /// measurement is on time, and none is held.
  ///
  /// - Returns: `false`, without changing anything, if `receive(_:)` has to be called instead.
  mutating func pass(_ value: DuplicateFilter.Value) -> Bool { link?.pass(value) ?? false }

  /// Records that bluetoothd was pinged to detect copies.
  mutating func recordSeparator() { link?.recordSeparator() }

  /// Restarts the running timeouts after bluetoothd was stopped for a while.
  mutating func resume(after stop: QueueTimes.Stop) {
    attempt?.resume(at: stop.end)
    link?.resume(after: stop)
  }

  /// Forgets earlier receipt times, because later ones cannot be compared with them.
  mutating func resetTimes(isLossy: Bool) { link?.resetTimes(isLossy: isLossy) }

  /// Returns the held measurements, which may be copies or late, whose deadline has passed.
  mutating func flush(at now: BootTime) -> MonitorLink.Received {
    link?.flush(at: now) ?? MonitorLink.Received()
  }

  /// Returns all held measurements, which may be copies or late.
  mutating func flushAll() -> MonitorLink.Received { link?.flushAll() ?? MonitorLink.Received() }

  /// Clears the failure counters, because measurements are arriving.
  private mutating func resetFailures() {
    forgetFailures()
    silentRounds = 0
    nextRefresh = nil
    refreshBackOff.reset()
  }

  /// Returns how long a link may be silent before it is closed and made again.
  func timeout(by policy: FollowingPolicy) -> Duration {
    min(policy.longestSilence, policy.reconnectAfterSilence * (1 << min(silentRounds, 6)))
  }

  /// - Returns: The number of consecutive links without a measurement.
  mutating func countSilentRound() -> Int {
    silentRounds += 1
    return silentRounds
  }

  /// Returns whether bluetoothd's cached attributes may be removed now. If so, the next removal is allowed
  /// only after a delay.
  mutating func mayRefresh(chance: () -> Double, now: BootTime) -> Bool {
    if let nextRefresh, now < nextRefresh { return false }
    nextRefresh = now + refreshBackOff.delay(random: chance())
    return true
  }

  // MARK: - Retrying at once

  /// Records whether there is a bond. A new bond clears earlier problems of the monitor.
  mutating func recordBond(_ isPaired: Bool, now: BootTime) {
    defer { self.isPaired = isPaired }
    guard isPaired, !self.isPaired else { return }
    link?.established?.allowSubscription()
    forgetFailures()
    restUntil = nil
    nextAttempt = now
    if isFailing { state = nil }
  }

  /// Resets the delays between attempts to their shortest values.
  mutating func resetBackOff() {
    backOff.reset()
    restBackOff.reset()
    restUntil = nil
  }

  /// Handles the end of bluetoothd. Without bluetoothd, the kernel's auto-connect list is empty, so connect
  /// again at once.
  mutating func forgetDaemon(now: BootTime) {
    attempt = nil
    nextAttempt = now
    resetBackOff()
    keptFromKernel = []
  }
}

/// A series of links that ended right after they were established.
struct ShortLinks {
  /// When the first of the short links ended.
  let first: BootTime
  /// Whether StartNotify was unanswered at the end of each of these links.
  var wereSubscribing: Bool
  var count = 1
}

extension FollowState {
  /// Whether the state is a problem of the monitor itself, which persists until a link shows that it is
  /// solved.
  var isAboutTheMonitor: Bool {
    switch self {
    case .bondLost, .pairingNeeded, .staleCache, .takenByAnother, .timingRefused, .unusable: true
    default: false
    }
  }
}

/// Counts failed encryptions, to detect that the bond with a monitor is lost.
///
/// An early end of a link is no evidence: it may happen with or without encryption, and bluetoothd 5.66
/// reports both in the same way. The reply to Connect is evidence, if there is a bond and a link was made:
/// Connect succeeds once the link is encrypted, and fails if encryption fails. A failure of Connect without a
/// link says nothing about the bond.
struct BondTrial: Hashable {
  /// Consecutive calls of Connect that failed because the link could not be encrypted.
  private(set) var refusals = 0
  private var latest: BootTime?

  /// Counts a link that could not be encrypted.
  ///
  /// - Parameter longest: Maximum time since the last such link. If it was longer ago, the count restarts at
  ///   1.
  mutating func refuse(at now: BootTime, within longest: Duration) {
    let continues = latest.map { now - $0 <= longest } ?? false
    refusals = continues ? refusals + 1 : 1
    latest = now
  }

  /// Resets the count, because a link was encrypted or the monitor is out of range, which says nothing about
  /// the bond.
  mutating func dismiss() { self = BondTrial() }
}
