import Bluetooth
import DBus

/// Decides everything about following monitors: a pure reducer over what the bus says, answers, and time.
///
/// After each event it compares what should be with what the tree says, and acts on the difference
/// (*reconciles*). So the order in which bluetoothd says things matters little: services that are resolved
/// before the link is said to stand, a device that goes without its characteristics, an answer that overtakes
/// its signals. Nothing here waits, and nothing here has effects: what is to be done comes out as
/// ``Command``s, and whoever performs calls feeds the answers back.
struct FollowingMachine {
  enum Input {
    /// A connection to the bus stands; its name tells what is asked in this connection from what was before.
    case busOpened
    case busLost
    /// The bus is there, and nothing comes of it.
    case refused(Refusal)
    case tree(TreeEvent)
    /// A characteristic's value was signalled, and nothing else with it: as the tree's event, which most of
    /// them need not be made into.
    case value(ObjectPath, AttributeValue)
    case answered(CallID, BlueZAnswer)
    /// The monitors to follow, all of them.
    case monitors([FollowedMonitor])
    /// Time has passed, or a measured time came.
    case timer
    /// Receipt times were moved at once, positive: forward. The setting is the one that is valid now.
    case clockSet(ClockSetting, step: Duration)
    /// The machine slept.
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
  /// Only this adapter is used; `nil` for any.
  let onlyAdapter: BluetoothAddress?
  let applicationRoot: ObjectPath
  /// From 0 up to 1, for the jitter.
  let random: @Sendable () -> Double

  var tree = ObjectTree()
  /// `nil` until the first attempt to connect to the bus has shown it.
  var isBusOpen: Bool?
  /// `nil` until a new connection has shown whether bluetoothd is there.
  var isDaemonPresent: Bool?
  /// Why the last conversation ended, until one comes about.
  var refusal: Refusal?
  /// Whether bluetoothd, where it is there, answers.
  var daemon = DaemonWatch()
  var isStopping = false
  /// A deadline may now be earlier than the armed timer. Measurements only postpone deadlines.
  var mayBeDueEarlier = true
  var monitors = MonitorTable()
  var duties: [ObjectPath: AdapterDuty] = [:]
  /// What the answers that are awaited belong to. An answer that nobody awaits any more has no entry, and is
  /// ignored.
  var purposes: [CallID: Purpose] = [:]
  /// The characteristics whose values are measurements. They stay when a link ends, because bluetoothd
  /// subscribes anew by itself, before it says that the services are resolved.
  var measurementPaths: [ObjectPath: BluetoothAddress] = [:]
  /// The characteristics on which bluetoothd holds a subscription of ours.
  var heldSubscriptions: Set<ObjectPath> = []
  var commands: [Command] = []
  var lastCall: CallID = 0
  private(set) var now: BootTime
  private(set) var time: ReceiptTime
  /// Where the event stands among what bluetoothd sends; `nil` for what did not come with a message.
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

  /// - Returns: What is to be done, in this order.
  mutating func handle(_ input: Input, at receipt: Receipt) -> [Command] {
    var done: [Command] = []
    handle(input, at: receipt) { done.append($0) }
    return done
  }

  /// - Parameter perform: Called with what is to be done, in this order. In place of a list, which would have
  ///   to be made anew for each measurement.
  mutating func handle(_ input: Input, at receipt: Receipt, _ perform: (Command) -> Void) {
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
    guard !isStopping, let isBusOpen, !isBusOpen || isDaemonPresent != nil else { return }
    // bluetoothd says nothing, so there is nothing to compare, and nothing to be done.
    guard !daemon.isUnresponsive else { return tellUnresponsive() }
    reconcileAdapters()
    // Whoever has waited longest comes first, or many that are away would keep the others from the adapter.
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
    // The kernel may make a second link by another adapter; the first is as good.
    if let device = linked.first(where: { $0.path == link?.standing?.device }) ?? linked.first {
      reconcile(address, linkedBy: device)
    } else {
      if let link, link.standing != nil || link.isForsaken(by: policy, now: now) { loseLink(address) }
      reconcile(address, unlinked: known)
    }
  }
}
