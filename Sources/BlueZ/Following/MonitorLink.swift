import Bluetooth
import BluetoothCentral
import DBus

/// What the machine keeps of one monitor beside what the tree says of it.
struct MonitorLink {
  /// The subscription to the measurements, within one link.
  enum Subscription: Hashable {
    case none
    /// StartNotify, or StopNotify before it, is on its way.
    case requested
    case active(ObjectPath, since: BootTime)
  }

  /// The attempt to connect that keeps an adapter busy.
  struct Attempt: Hashable {
    var device: ObjectPath
    var adapter: ObjectPath
    var since: BootTime
    /// Our Connect.
    var call: FollowingMachine.CallID?
    /// Somebody else's: it is only waited for.
    var isForeign = false
    var isCancelled = false
  }

  let address: BluetoothAddress
  /// The adapter by which it was followed last; the first choice for the next link.
  var preferredAdapter: BluetoothAddress?

  /// `nil` until there was one to tell.
  var state: FollowState?
  var detail: String?

  /// bluetoothd holds a bond with it.
  var isPaired = false

  // MARK: Connecting
  var attempt: Attempt?
  var backOff: BackOff
  var nextAttempt: BootTime
  /// Between rows of links that end at once.
  var restBackOff: BackOff
  /// It is left alone, because each link ended at once.
  var restUntil: BootTime?
  /// Its devices that the kernel is kept from until our next Connect to them.
  var keptFromKernel: Set<ObjectPath> = []
  var quickFailures = 0
  var firstQuickFailure: BootTime?
  /// Where the last attempt failed, while there is another to try.
  var lastFailedAdapter: ObjectPath?

  // MARK: The link
  /// The device of the link.
  var device: ObjectPath?
  /// The pipeline was told of the link.
  var isToldConnected = false
  /// A measurement came over it.
  var hasMeasured = false
  var resolvingSince: BootTime?
  /// When the link was first seen.
  var linkedSince: BootTime?
  /// It stood already when bluetoothd came.
  var wasFound = false
  var subscription = Subscription.none
  /// We are closing it, for this reason.
  var closing: (cause: GapCause, since: BootTime)?
  /// Reads whose answers the description waits for; `nil` before the description began.
  var outstandingReads: Int?
  var battery: Int?

  // MARK: Watching
  var lastValue: BootTime?
  /// The gap of this silence was told, and the subscription was made anew.
  var isSilent = false
  /// Links in a row that were closed for silence.
  var silentRounds = 0
  /// bluetoothd has been made to forget the attributes, and is not again before this; `nil` once a measurement came.
  var nextRefresh: BootTime?
  var refreshBackOff: BackOff
  /// Nothing is tried before this, because the monitor itself is at fault.
  var recheckAt: BootTime?
  var wantsEnergyReset = false
  var duplicates = DuplicateFilter()

  init(
    _ address: BluetoothAddress, preferredAdapter: BluetoothAddress?, policy: FollowingPolicy, now: BootTime
  ) {
    self.address = address
    self.preferredAdapter = preferredAdapter
    backOff = BackOff(first: policy.firstRetry, longest: policy.longestRetry)
    restBackOff = BackOff(first: policy.firstRetry, longest: policy.longestRest)
    refreshBackOff = BackOff(first: policy.firstRefresh, longest: policy.longestRefresh)
    nextAttempt = now
  }

  var peripheral: PeripheralIdentity { .address(address) }

  /// Takes a measurement.
  ///
  /// - Returns: What is to be handed on, how many copies were left out, whether it is the first of the link or after a silence, and
  ///   whether more is held back.
  mutating func take(_ value: DuplicateFilter.Value) -> (
    values: [DuplicateFilter.Value], dropped: Int, isFirst: Bool, isHolding: Bool
  ) {
    let isFirst = !hasMeasured || isSilent
    hasMeasured = true
    isSilent = false
    lastValue = value.receipt.boot
    let values = duplicates.receive(value)
    return (values, duplicates.takeDropped(), isFirst, duplicates.deadline != nil)
  }

  /// There is a bond where there was none: what was wrong with it is over.
  mutating func welcomeBond(at now: BootTime) {
    recheckAt = nil
    quickFailures = 0
    restUntil = nil
    nextAttempt = now
    if state?.isAboutTheMonitor == true { state = nil }
  }

  /// What was put off before is not any more.
  mutating func resetBackOff() {
    backOff.reset()
    restBackOff.reset()
    restUntil = nil
  }

  /// Forgets what held for one link only.
  mutating func forgetLink() {
    device = nil
    isToldConnected = false
    hasMeasured = false
    resolvingSince = nil
    wasFound = false
    linkedSince = nil
    subscription = .none
    closing = nil
    outstandingReads = nil
    lastValue = nil
    isSilent = false
    recheckAt = nil
  }
}
