import Bluetooth
import DBus

/// Decides how to follow monitors. It is a pure state machine: its inputs are bus signals, replies and time;
/// its outputs are ``Command``s.
///
/// After each input, it compares the desired state with the object tree and acts on the difference (it
/// *reconciles* them). This makes it mostly independent of the order of bluetoothd's signals: for example,
/// bluetoothd may report resolved services before the connection, or the removal of a device before that of
/// its characteristics. The machine does not wait and has no side effects. The caller performs the calls and
/// passes their replies back as inputs.
struct FollowingMachine {
  enum Input {
    /// The bus is connected.
    case busOpened
    case busLost
    /// The bus is connected, but this program cannot use bluetoothd.
    case refused(BusAccessFailure)
    case tree(TreeEvent)
    /// A characteristic's value arrived, and nothing else changed. This has the same effect as a `tree`
    /// input, at a lower cost.
    case value(ObjectPath, AttributeValue)
    case answered(CallID, BlueZReply)
    /// The complete list of monitors to follow.
    case monitors([FollowedMonitor])
    /// The time ``deadline`` has passed, so the machine has to run again.
    case timer
    /// The wall clock was changed to the given setting, by `step` (positive: forward).
    case clockSet(ClockSetting, step: Duration)
    /// The computer was suspended and has resumed.
    case slept
    case stop
  }

  enum Command: Sendable {
    case call(CallID, BlueZCall)
    case emit(CentralEvent)
    case report(FollowStatus)
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
  /// Whether the bus is connected; `nil` until the first attempt to connect to it.
  var isBusOpen: Bool?
  /// Whether bluetoothd is running; `nil` until the session has determined it.
  var isDaemonPresent: Bool?
  /// The reason why bluetoothd could not be used in the last session; `nil` after a successful session.
  var accessFailure: BusAccessFailure?
  /// Whether bluetoothd responds.
  var daemon = DaemonWatch()
  var isStopping = false
  /// Whether a deadline may now be earlier than the time of the caller's timer. Measurements do not set this,
  /// because they only postpone deadlines.
  var mayBeDueEarlier = true
  var monitors = MonitorTable()
  var duties: [ObjectPath: AdapterDuty] = [:]
  /// The purposes of unanswered calls. Replies to any other calls are ignored.
  var purposes: [CallID: PendingCall] = [:]
  /// The monitors by the path of their measurement characteristic. An entry is kept when a link ends, because
  /// in the next link, values may arrive before bluetoothd reports resolved services.
  var measurementPaths: [ObjectPath: BluetoothAddress] = [:]
  /// The characteristics that this program is subscribed to.
  var heldSubscriptions: Set<ObjectPath> = []
  var commands: [Command] = []
  var lastCall: CallID = 0
  private(set) var now: BootTime
  private(set) var time: ReceiptTime
  /// The position of the current input in the sequence of bluetoothd's messages; `nil` if it is not a
  /// message.
  private(set) var senderPosition: SenderPosition?

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

  /// - Parameter perform: Called with each command, in order. Unlike an array, this does not need an
  ///   allocation per measurement.
  mutating func handle(_ input: Input, at receipt: Receipt, _ perform: (Command) -> Void) {
    // A signal's time is when it was read from the socket, so an input that was handled before it may have a
    // later time. `now` must not go backward, because deadlines are computed from it.
    now = max(now, receipt.boot)
    time = receipt.time
    senderPosition = receipt.senderPosition
    guard !isStopping else { return }
    if apply(input) { reconcile() }
    for command in commands { perform(command) }
    commands.removeAll(keepingCapacity: true)
  }

  // MARK: - Reconciling

  private mutating func reconcile() {
    mayBeDueEarlier = true
    // Before the first snapshot, an empty tree does not mean that there are no adapters.
    guard !isStopping, let isBusOpen, !isBusOpen || isDaemonPresent != nil else { return }
    // bluetoothd does not respond, so the object tree may be outdated.
    guard !daemon.isUnresponsive else { return reportUnresponsive() }
    reconcileAdapters()
    // Start with the monitor that has waited longest. Otherwise, many absent monitors would keep the adapter
    // busy, and the others would never be tried.
    let waiting = monitors.all.sorted {
      ($0.nextAttempt, $0.address.bits) < ($1.nextAttempt, $1.address.bits)
    }
    for monitor in waiting { reconcile(monitor.address) }
    reconcileDiscoveries()
  }

  private mutating func reconcile(_ address: BluetoothAddress) {
    let known = tree.devices(with: address)
    monitors.update(address) { $0.recordBond(known.contains(where: \.isPaired), now: now) }
    let linked = known.filter { $0.isConnected && isUsable($0.adapter) }
    let link = monitors[address]?.link
    // The kernel may have connected to the monitor through a second adapter. Keep the first link.
    if let device = linked.first(where: { $0.path == link?.established?.device }) ?? linked.first {
      reconcile(address, linkedBy: device)
    } else {
      if let link, link.established != nil || link.isForsaken(by: policy, now: now) { loseLink(address) }
      reconcile(address, unlinked: known)
    }
  }
}
