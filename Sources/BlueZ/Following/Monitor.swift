import Bluetooth
import DBus

/// What the machine keeps of a monitor for as long as it is followed, beside what the tree says of it.
struct Monitor {
  let address: BluetoothAddress
  /// As told last.
  private(set) var name: String?
  /// The adapter of the last link; the first choice for the next.
  private(set) var preferredAdapter: BluetoothAddress?
  /// bluetoothd holds a bond with it.
  private(set) var isPaired = false
  private(set) var wantsEnergyReset: Bool
  /// As told last. It outlasts the link, since bluetoothd repeats in the next one what it remembers.
  private(set) var battery: UInt8?

  // MARK: What the user was told
  /// `nil` until there was something to tell.
  /// Whether it had a bond when it was enrolled.
  let wasBonded: Bool
  private(set) var state: FollowState?
  var detail: String?
  /// The state says that something is wrong with the monitor, and it may be the radio.
  private(set) var isFaultInDoubt = false
  /// Since when it has been away, whether or not an attempt to connect was under way; `nil` in other states.
  private(set) var awaySince: BootTime?

  // MARK: The way to a link
  private(set) var attempt: ConnectionAttempt?
  /// Attempts in a row of which no link came.
  private(set) var fruitlessAttempts = 0
  var nextAttempt: BootTime
  private var backOff: BackOff
  /// Where the last attempt failed, while there is another adapter to try.
  private(set) var lastFailedAdapter: ObjectPath?
  /// Its devices that the kernel must not connect to before our next Connect.
  private(set) var keptFromKernel: Set<ObjectPath> = []
  /// How old the last links were when they ended by themselves.
  private(set) var timing = RefusedTiming()
  /// When the last link ended.
  private var linkEnd: BootTime?
  /// The row of links that ended at once; `nil` while there is none.
  private var shortLinks: ShortLinks?
  private var bond = BondTrial()
  /// The last link, which may have ended.
  private var lastLink: (device: ObjectPath, since: BootTime)?
  /// Grows with each row of links that end at once.
  private var restBackOff: BackOff
  /// It is left alone until then, because each of its links ended at once.
  private(set) var restUntil: BootTime?

  // MARK: The link
  /// `nil` where there is none: ending it is one assignment, and nothing of it is left for the next.
  private(set) var link: MonitorLink?
  /// Links in a row that were closed for silence.
  private var silentRounds = 0
  /// bluetoothd is not made to forget the attributes again before this; `nil` once a measurement came.
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

  /// Something is wrong with the monitor itself, which only a link can disprove.
  var isAtFault: Bool { state?.isAboutTheMonitor == true }

  // MARK: - What the user was told

  /// - Returns: Whether it differs from what was told before.
  mutating func set(_ state: FollowState, detail: String?, now: BootTime) -> Bool {
    awaySince = [.away, .connecting].contains(state) ? awaySince ?? now : nil
    guard self.state != state || (detail != nil && self.detail != detail) else { return false }
    self.state = state
    self.detail = detail
    isFaultInDoubt = false
    return true
  }

  mutating func doubtFault() { isFaultInDoubt = true }

  /// - Returns: Whether it differs from what was told before.
  mutating func setBattery(_ level: UInt8) -> Bool {
    defer { battery = level }
    return battery != level
  }

  /// - Returns: Whether it differs from what was told before.
  mutating func setName(_ name: String) -> Bool {
    defer { self.name = name }
    return self.name != name
  }

  mutating func endEnergyReset() { wantsEnergyReset = false }

  // MARK: - The way to a link

  mutating func beginAttempt(_ attempt: ConnectionAttempt) {
    self.attempt = attempt
    keptFromKernel.remove(attempt.device)
  }

  mutating func cancelAttempt(at now: BootTime) { attempt?.cancel(at: now) }

  /// Somebody else's attempt was there first.
  mutating func leaveAttemptToOthers(at now: BootTime) { attempt?.becomeForeign(at: now) }

  mutating func endAttempt() { attempt = nil }

  /// - Parameter adapter: By which it failed, where there is another to try.
  mutating func failAttempt(by adapter: ObjectPath?) {
    attempt = nil
    lastFailedAdapter = adapter
  }

  mutating func countFruitlessAttempt() { fruitlessAttempts += 1 }

  /// - Parameter longest: No longer than this.
  mutating func retryLater(within longest: Duration, chance: Double, now: BootTime) {
    nextAttempt = now + min(backOff.delay(random: chance), longest)
  }

  mutating func keepKernel(from device: ObjectPath) { keptFromKernel.insert(device) }

  /// Another link ended as soon as it had begun.
  ///
  /// - Parameter wasSubscribing: A subscription was on its way.
  /// - Returns: The row of them, where there are too many in it to be chance.
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

  /// Leaves it alone for a while.
  mutating func rest(chance: Double, now: BootTime) {
    restUntil = now + restBackOff.delay(random: chance)
    shortLinks = nil
  }

  // MARK: - The bond

  mutating func proveBond() { bond.dismiss() }

  /// - Returns: How often in a row it was refused.
  mutating func refuseBond(by policy: FollowingPolicy, now: BootTime) -> Int {
    bond.refuse(at: now, within: policy.quickFailuresWithin)
    return bond.refusals
  }

  /// When the last link began; `nil` where that was before, or by another adapter.
  func beginOfLink(to device: ObjectPath, since time: BootTime) -> BootTime? {
    lastLink.flatMap { $0.device == device && $0.since >= time ? $0.since : nil }
  }

  // MARK: - The link

  /// bluetoothd says that a link stands.
  ///
  /// - Parameters:
  ///   - adapter: Its address.
  ///   - isAdapterNew: A link seen so soon after its adapter appeared was there before.
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

  /// - Parameter isByItself: As far as bluetoothd tells.
  mutating func endLink(isByItself: Bool, now: BootTime) {
    let begun = link?.standing.flatMap { $0.wasFound ? nil : $0.since }
    timing.note(isByItself ? begun.map { now - $0 } : nil)
    link = nil
    linkEnd = now
  }

  /// An adapter was switched off or removed. bluetoothd reports the end of its links first, so a link that has
  /// just ended did not end by itself.
  mutating func loseAdapter(_ adapter: ObjectPath, now: BootTime) {
    guard lastLink?.device.parent == adapter, let linkEnd, now - linkEnd < .seconds(1) else { return }
    timing.note(nil)
  }

  /// - Returns: What `change` returns; `nil` if bluetoothd tells of no link, and nothing is changed.
  mutating func updateLink<Result>(_ change: (inout MonitorLink.Standing) -> Result) -> Result? {
    guard var standing = link?.standing else { return nil }
    defer { link?.standing = standing }
    return change(&standing)
  }

  /// StartNotify is on its way.
  mutating func requestSubscription() { link?.standing?.subscription = .requested }

  /// A measurement came; it may come before bluetoothd says that the link stands.
  mutating func receive(_ value: DuplicateFilter.Value) -> MonitorLink.Received {
    let isFirstSign = link == nil
    if isFirstSign { link = MonitorLink() }
    var received = link?.receive(value) ?? MonitorLink.Received()
    received.isFirstSign = isFirstSign
    if received.isFirst { forgiveFaults() }
    return received
  }

  /// Takes a measurement of which nothing has to be found out, as nearly all of them are.
  ///
  /// - Returns: Whether it is to be handed on as it came, and nothing else is to be done; nothing has changed
  ///   where it is not.
  mutating func pass(_ value: DuplicateFilter.Value) -> Bool { link?.pass(value) ?? false }

  /// bluetoothd was asked for an answer that shows which values are copies.
  mutating func noteSeparator() { link?.noteSeparator() }

  /// bluetoothd stood still, and goes on. What was to happen by some time has that time again.
  mutating func resume(after stop: QueueTimes.Stop) {
    attempt?.resume(at: stop.end)
    link?.resume(after: stop)
  }

  /// The times of what comes do not go on from those before.
  mutating func beginTimesAnew(isLossy: Bool) { link?.beginTimesAnew(isLossy: isLossy) }

  /// Values that were held back are due.
  mutating func flush(at now: BootTime) -> MonitorLink.Received {
    link?.flush(at: now) ?? MonitorLink.Received()
  }

  /// Releases everything that is held back.
  mutating func flushAll() -> MonitorLink.Received { link?.flushAll() ?? MonitorLink.Received() }

  /// Measurements come in, so whatever was held against the monitor is over.
  private mutating func forgiveFaults() {
    forgetFailures()
    silentRounds = 0
    nextRefresh = nil
    refreshBackOff.reset()
  }

  /// How long a link may be silent before it is made anew.
  func patience(by policy: FollowingPolicy) -> Duration {
    min(policy.longestSilence, policy.reconnectAfterSilence * (1 << min(silentRounds, 6)))
  }

  /// - Returns: How many there are in a row.
  mutating func countSilentRound() -> Int {
    silentRounds += 1
    return silentRounds
  }

  /// Whether bluetoothd may be made to read the attributes anew; if so, it may again only after a while.
  mutating func mayRefresh(chance: () -> Double, now: BootTime) -> Bool {
    if let nextRefresh, now < nextRefresh { return false }
    nextRefresh = now + refreshBackOff.delay(random: chance())
    return true
  }

  // MARK: - New chances

  /// A new bond clears what was wrong with the monitor.
  mutating func noteBond(_ isPaired: Bool, now: BootTime) {
    defer { self.isPaired = isPaired }
    guard isPaired, !self.isPaired else { return }
    link?.standing?.allowSubscription()
    forgetFailures()
    restUntil = nil
    nextAttempt = now
    if isAtFault { state = nil }
  }

  /// Retries start quickly again.
  mutating func resetBackOff() {
    backOff.reset()
    restBackOff.reset()
    restUntil = nil
  }

  /// bluetoothd is gone, and the kernel's list with it: everything may be tried at once.
  mutating func forgetDaemon(now: BootTime) {
    attempt = nil
    nextAttempt = now
    resetBackOff()
    keptFromKernel = []
  }
}

/// Links in a row that ended as soon as they had begun.
struct ShortLinks {
  /// When the first of them ended.
  let first: BootTime
  /// Each ended while a subscription was on its way.
  var wereSubscribing: Bool
  var count = 1
}

extension FollowState {
  /// It stays, whatever is tried, until a link disproves it.
  var isAboutTheMonitor: Bool {
    switch self {
    case .bondLost, .pairingNeeded, .staleCache, .takenByAnother, .timingRefused, .unusable: true
    default: false
    }
  }
}
