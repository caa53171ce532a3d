import Bluetooth
import DBus

/// The state of a followed monitor that ``FollowingMachine`` keeps in addition to the object tree.
struct Monitor {
  let address: BluetoothAddress
  /// The name that was reported last.
  private(set) var name: String?
  /// The adapter of the last link; the first choice for the next.
  private(set) var preferredAdapter: BluetoothAddress?
  /// Whether bluetoothd holds a bond with it.
  private(set) var isPaired = false
  private(set) var wantsEnergyReset: Bool
  /// The battery level that was reported last. It outlasts the link, because bluetoothd repeats its
  /// remembered level in the next one.
  private(set) var battery: UInt8?

  // MARK: Reported state
  /// Whether it had a bond when it was enrolled.
  let wasBonded: Bool
  /// The state that was reported last; `nil` before the first report.
  private(set) var state: FollowState?
  var detail: String?
  /// The state reports a problem of the monitor, but the cause may be the radio.
  private(set) var isFaultInDoubt = false
  /// Since when the monitor has been away, including attempts to connect; `nil` in other states.
  private(set) var awaySince: BootTime?

  // MARK: Connecting
  private(set) var attempt: ConnectionAttempt?
  /// Consecutive attempts that led to no link.
  private(set) var fruitlessAttempts = 0
  var nextAttempt: BootTime
  private var backOff: BackOff
  /// The adapter of the last failed attempt, while there is another one to try.
  private(set) var lastFailedAdapter: ObjectPath?
  /// Devices of this monitor to which the kernel must not connect before our next Connect.
  private(set) var keptFromKernel: Set<ObjectPath> = []
  /// How old the last links were when they ended without our doing.
  private(set) var timing = RefusedTiming()
  /// When the last link ended.
  private var linkEnd: BootTime?
  /// The current series of links that ended at once; `nil` if there is none.
  private var shortLinks: ShortLinks?
  private var bond = BondTrial()
  /// The last link, even if it has ended.
  private var lastLink: (device: ObjectPath, since: BootTime)?
  /// Delay after a series of links that ended at once. It grows with each series.
  private var restBackOff: BackOff
  /// No connection is attempted before this time, because each link ended at once.
  private(set) var restUntil: BootTime?

  // MARK: The link
  /// `nil` if there is no link. All state of one link is in this value, so nothing is left for the next.
  private(set) var link: MonitorLink?
  /// Consecutive links that were closed because no measurement arrived.
  private var silentRounds = 0
  /// bluetoothd's attribute cache is not removed again before this time; `nil` once a measurement arrived.
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

  /// The state reports a problem of the monitor itself, which only a link can disprove.
  var isAtFault: Bool { state?.isAboutTheMonitor == true }

  // MARK: - Reported state

  /// - Returns: Whether it differs from the last report.
  mutating func set(_ state: FollowState, detail: String?, now: BootTime) -> Bool {
    awaySince = [.away, .connecting].contains(state) ? awaySince ?? now : nil
    guard self.state != state || (detail != nil && self.detail != detail) else { return false }
    self.state = state
    self.detail = detail
    isFaultInDoubt = false
    return true
  }

  mutating func doubtFault() { isFaultInDoubt = true }

  /// - Returns: Whether it differs from the last report.
  mutating func setBattery(_ level: UInt8) -> Bool {
    defer { battery = level }
    return battery != level
  }

  /// - Returns: Whether it differs from the last report.
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

  /// Records that another client's attempt was there first.
  mutating func leaveAttemptToOthers(at now: BootTime) { attempt?.becomeForeign(at: now) }

  mutating func endAttempt() { attempt = nil }

  /// - Parameter adapter: The adapter that failed, if there is another one to try.
  mutating func failAttempt(by adapter: ObjectPath?) {
    attempt = nil
    lastFailedAdapter = adapter
  }

  mutating func countFruitlessAttempt() { fruitlessAttempts += 1 }

  /// - Parameter longest: Maximum delay.
  mutating func retryLater(within longest: Duration, chance: Double, now: BootTime) {
    nextAttempt = now + min(backOff.delay(random: chance), longest)
  }

  mutating func keepKernel(from device: ObjectPath) { keptFromKernel.insert(device) }

  /// Counts another link that ended as soon as it had begun.
  ///
  /// - Parameter wasSubscribing: Whether StartNotify had not been answered.
  /// - Returns: The series of such links if it is too long for a coincidence.
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

  /// - Returns: The number of consecutive refusals.
  mutating func refuseBond(by policy: FollowingPolicy, now: BootTime) -> Int {
    bond.refuse(at: now, within: policy.quickFailuresWithin)
    return bond.refusals
  }

  /// When the last link began; `nil` if it began before `time` or by another adapter.
  func beginOfLink(to device: ObjectPath, since time: BootTime) -> BootTime? {
    lastLink.flatMap { $0.device == device && $0.since >= time ? $0.since : nil }
  }

  // MARK: - The link

  /// Records that bluetoothd reports a link.
  ///
  /// - Parameters:
  ///   - adapter: The adapter's address.
  ///   - isAdapterNew: A link that is seen so soon after its adapter appeared existed before.
  /// - Returns: Whether this is the first sign of the link.
  mutating func beginLink(
    by device: ObjectPath, adapter: BluetoothAddress?, isAdapterNew: Bool, now: BootTime
  ) -> Bool {
    let isFirstSign = link == nil
    if isFirstSign { link = MonitorLink() }
    link?.standing = MonitorLink.Standing(
      device: device, since: now, wasFound: attempt == nil && isAdapterNew)
    lastLink = (device, now)
    attempt = nil
    fruitlessAttempts = 0
    lastFailedAdapter = nil
    preferredAdapter = adapter
    return isFirstSign
  }

  /// - Parameter isByItself: Whether the link ended without our doing, as far as bluetoothd's signals show.
  mutating func endLink(isByItself: Bool, now: BootTime) {
    let begun = link?.standing.flatMap { $0.wasFound ? nil : $0.since }
    timing.note(isByItself ? begun.map { now - $0 } : nil)
    link = nil
    linkEnd = now
  }

  /// Handles an adapter that was switched off or removed. bluetoothd reports the end of its links first, so a
  /// link that has just ended did not end because of the monitor.
  mutating func loseAdapter(_ adapter: ObjectPath, now: BootTime) {
    guard lastLink?.device.parent == adapter, let linkEnd, now - linkEnd < .seconds(1) else { return }
    timing.note(nil)
  }

  /// - Returns: What `change` returns; `nil` if bluetoothd reports no link. Then nothing is changed.
  mutating func updateLink<Result>(_ change: (inout MonitorLink.Standing) -> Result) -> Result? {
    guard var standing = link?.standing else { return nil }
    defer { link?.standing = standing }
    return change(&standing)
  }

  /// Records that StartNotify was sent.
  mutating func requestSubscription() { link?.standing?.subscription = .requested }

  /// Receives a measurement. It may arrive before bluetoothd reports the link.
  mutating func receive(_ value: DuplicateFilter.Value) -> MonitorLink.Received {
    let isFirstSign = link == nil
    if isFirstSign { link = MonitorLink() }
    var received = link?.receive(value) ?? MonitorLink.Received()
    received.isFirstSign = isFirstSign
    if received.isFirst { forgiveFaults() }
    return received
  }

  /// Passes a measurement on unchanged in the usual case: the only subscriber, in time, nothing held.
  ///
  /// - Returns: `false` if the measurement needs the full treatment of `receive(_:)`; then nothing has
  ///   changed.
  mutating func pass(_ value: DuplicateFilter.Value) -> Bool { link?.pass(value) ?? false }

  /// Records that bluetoothd was asked for a reply that separates runs of copies.
  mutating func noteSeparator() { link?.noteSeparator() }

  /// Restarts running timeouts after bluetoothd did not answer for a while.
  mutating func resume(after stop: QueueTimes.Stop) {
    attempt?.resume(at: stop.end)
    link?.resume(after: stop)
  }

  /// Forgets previous times, because later ones do not continue them.
  mutating func beginTimesAnew(isLossy: Bool) { link?.beginTimesAnew(isLossy: isLossy) }

  /// Returns held values whose deadline has passed.
  mutating func flush(at now: BootTime) -> MonitorLink.Received {
    link?.flush(at: now) ?? MonitorLink.Received()
  }

  /// Releases everything that is held back.
  mutating func flushAll() -> MonitorLink.Received { link?.flushAll() ?? MonitorLink.Received() }

  /// Clears the failure counters, because measurements arrive.
  private mutating func forgiveFaults() {
    forgetFailures()
    silentRounds = 0
    nextRefresh = nil
    refreshBackOff.reset()
  }

  /// How long a link may be silent before it is closed and opened again.
  func timeout(by policy: FollowingPolicy) -> Duration {
    min(policy.longestSilence, policy.reconnectAfterSilence * (1 << min(silentRounds, 6)))
  }

  /// - Returns: The number of consecutive silent links.
  mutating func countSilentRound() -> Int {
    silentRounds += 1
    return silentRounds
  }

  /// Whether bluetoothd's attribute cache may be removed now. If so, the next time is only after a delay.
  mutating func mayRefresh(chance: () -> Double, now: BootTime) -> Bool {
    if let nextRefresh, now < nextRefresh { return false }
    nextRefresh = now + refreshBackOff.delay(random: chance())
    return true
  }

  // MARK: - Retrying at once

  /// Records whether there is a bond. A new bond clears the monitor's problems.
  mutating func noteBond(_ isPaired: Bool, now: BootTime) {
    defer { self.isPaired = isPaired }
    guard isPaired, !self.isPaired else { return }
    link?.standing?.allowSubscription()
    forgetFailures()
    restUntil = nil
    nextAttempt = now
    if isAtFault { state = nil }
  }

  /// Resets the retry delays to their shortest value.
  mutating func resetBackOff() {
    backOff.reset()
    restBackOff.reset()
    restUntil = nil
  }

  /// Handles the end of bluetoothd, whose kernel auto-connect list is gone too: all attempts may start at
  /// once.
  mutating func forgetDaemon(now: BootTime) {
    attempt = nil
    nextAttempt = now
    resetBackOff()
    keptFromKernel = []
  }
}

/// A series of links that ended as soon as they had begun.
struct ShortLinks {
  /// When the first of them ended.
  let first: BootTime
  /// StartNotify was unanswered in each of them when it ended.
  var wereSubscribing: Bool
  var count = 1
}

extension FollowState {
  /// Whether the state persists, whatever is tried, until a link disproves it.
  var isAboutTheMonitor: Bool {
    switch self {
    case .bondLost, .pairingNeeded, .staleCache, .takenByAnother, .timingRefused, .unusable: true
    default: false
    }
  }
}

/// Counts signs that the bond with a monitor is lost.
///
/// A link that ends early is no such sign: an encrypted link may end as early as one that could not be
/// encrypted, and bluetoothd 5.66 reports the same for both. The reply to our Connect is a sign if there is a
/// bond and a link was made: Connect succeeds once the link is encrypted, and fails if it cannot be, even if
/// the link ends at once. Without a link the failure shows nothing, because bluetoothd reports it like any
/// other.
struct BondTrial: Hashable {
  /// Consecutive Connects that failed because the link was not encrypted.
  private(set) var refusals = 0
  private var latest: BootTime?

  /// Counts a link that could not be encrypted.
  ///
  /// - Parameter longest: Refusals that are further apart than this are not counted together.
  mutating func refuse(at now: BootTime, within longest: Duration) {
    let continues = latest.map { now - $0 <= longest } ?? false
    refusals = continues ? refusals + 1 : 1
    latest = now
  }

  /// Resets the count: a link was encrypted, or the monitor is away, which shows nothing about the bond.
  mutating func dismiss() { self = BondTrial() }
}
