import Bluetooth
import DBus

/// Decides how to follow monitors. It is a pure state machine: its inputs are bus signals, answers and time,
/// its outputs are ``Command``s.
///
/// After each input it compares the wanted state with the object tree and acts on the difference (it
/// *reconciles*). Therefore it hardly depends on the order of bluetoothd's signals: services may be resolved
/// before the link is reported, a device may be removed before its characteristics, and an answer may
/// overtake signals. The machine does not wait and has no side effects. The caller performs the calls and
/// passes their answers back as inputs.
struct FollowingMachine {
  enum Input {
    /// The bus is connected.
    case busOpened
    case busLost
    /// The bus is connected, but bluetoothd cannot be used.
    case refused(Refusal)
    case tree(TreeEvent)
    /// A characteristic's value was signaled, and no other change. Equivalent to the tree event, but cheaper,
    /// because most measurements need no `TreeEvent`.
    case value(ObjectPath, AttributeValue)
    case answered(CallID, BlueZReply)
    /// The complete list of monitors to follow.
    case monitors([FollowedMonitor])
    /// The deadline has passed.
    case timer
    /// The wall clock was set by `step` (positive: forward). The setting is the one that is valid now.
    case clockSet(ClockSetting, step: Duration)
    /// The machine was suspended.
    case slept
    case stop
  }

  enum Command: Sendable {
    case call(CallID, BlueZCall)
    case emit(CentralEvent)
    case tell(FollowStatus)
    case hear(HeardSignal)
  }

  typealias CallID = UInt64

  let policy: FollowingPolicy
  /// The only adapter to use; `nil` for any.
  let onlyAdapter: BluetoothAddress?
  let applicationRoot: ObjectPath
  /// Returns a number from 0 up to 1, for jitter.
  let random: @Sendable () -> Double

  var tree = ObjectTree()
  /// `nil` until the first attempt to connect to the bus.
  var isBusOpen: Bool?
  /// `nil` until a new session has shown whether bluetoothd is running.
  var isDaemonPresent: Bool?
  /// Why the last session failed; `nil` once one succeeds.
  var refusal: Refusal?
  /// Whether bluetoothd answers.
  var daemon = DaemonWatch()
  var isStopping = false
  /// A deadline may now be earlier than the armed timer. Measurements only postpone deadlines.
  var mayBeDueEarlier = true
  var monitors = MonitorTable()
  var duties: [ObjectPath: AdapterDuty] = [:]
  /// The purposes of pending calls. Answers without an entry are ignored.
  var purposes: [CallID: PendingCall] = [:]
  /// The measurement characteristics. They are kept when a link ends, because bluetoothd subscribes again on
  /// its own before it reports resolved services.
  var measurementPaths: [ObjectPath: BluetoothAddress] = [:]
  /// The characteristics on which bluetoothd holds a subscription of ours.
  var heldSubscriptions: Set<ObjectPath> = []
  var commands: [Command] = []
  var lastCall: CallID = 0
  private(set) var now: BootTime
  private(set) var time: ReceiptTime
  /// The position of the input in bluetoothd's messages; `nil` if it is not a message.
  private(set) var place: SenderPlace?

  init(
    policy: FollowingPolicy = FollowingPolicy(), onlyAdapter: BluetoothAddress? = nil,
    applicationRoot: ObjectPath,
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, start: Receipt
  ) {
    self.policy = policy
    self.onlyAdapter = onlyAdapter
    self.applicationRoot = applicationRoot
    self.random = random
    now = start.boot
    time = start.time
  }

  /// - Returns: The commands to perform, in order.
  mutating func handle(_ input: Input, at receipt: Receipt) -> [Command] {
    var done: [Command] = []
    handle(input, at: receipt) { done.append($0) }
    return done
  }

  /// - Parameter perform: Called with each command, in order. Avoids allocating an array per measurement.
  mutating func handle(_ input: Input, at receipt: Receipt, _ perform: (Command) -> Void) {
    // The time of a signal is taken when the socket is read, so an input that read the clock since may be
    // later. Time must not go back: deadlines are computed from it.
    now = max(now, receipt.boot)
    time = receipt.time
    place = receipt.place
    guard !isStopping else { return }
    if apply(input) { reconcile() }
    for command in commands { perform(command) }
    commands.removeAll(keepingCapacity: true)
  }

  // MARK: - Reconciling

  private mutating func reconcile() {
    mayBeDueEarlier = true
    // Until the first snapshot of a session, an empty tree does not mean that there are no adapters.
    guard !isStopping, let isBusOpen, !isBusOpen || isDaemonPresent != nil else { return }
    // bluetoothd does not answer, so the object tree may be outdated.
    guard !daemon.isUnresponsive else { return tellUnresponsive() }
    reconcileAdapters()
    // Begin with the monitor that has waited longest. Otherwise many absent monitors would block the adapter
    // for the others.
    let waiting = monitors.all.sorted {
      ($0.nextAttempt, $0.address.bits) < ($1.nextAttempt, $1.address.bits)
    }
    for monitor in waiting { reconcile(monitor.address) }
    reconcileDiscoveries()
  }

  private mutating func reconcile(_ address: BluetoothAddress) {
    let known = tree.devices(with: address)
    monitors.update(address) { $0.noteBond(known.contains(where: \.isPaired), now: now) }
    let linked = known.filter { $0.isConnected && isUsable($0.adapter) }
    let link = monitors[address]?.link
    // The kernel may make a second link by another adapter. Keep the first one.
    if let device = linked.first(where: { $0.path == link?.standing?.device }) ?? linked.first {
      reconcile(address, linkedBy: device)
    } else {
      if let link, link.standing != nil || link.isForsaken(by: policy, now: now) { loseLink(address) }
      reconcile(address, unlinked: known)
    }
  }
}
