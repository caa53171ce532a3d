public import Bluetooth
import BluetoothCentral
import DBus

/// Decides everything about following monitors: a pure reducer over what the bus says, answers, and time.
///
/// It compares what should be with what the tree says, after each event, and acts on the difference (*reconciles*). So the order
/// in which bluetoothd says things matters little: services that are resolved before the link is said to stand, a device that goes without
/// its characteristics, an answer that overtakes its signals. Nothing here waits, and nothing here has effects: what is to be done comes
/// out as ``Command``s, and whoever performs calls feeds the answers back.
struct FollowingMachine {
  enum Input {
    /// A connection to the bus stands; its name tells what is asked in this connection from what was before.
    case busOpened
    case busLost
    /// The bus is there, and nothing comes of it.
    case refused(Refusal)
    case tree(TreeEvent)
    case answered(CallID, BlueZAnswer)
    /// The monitors to follow, all of them.
    case monitors([FollowedMonitor])
    /// Time has passed, or a measured time came.
    case timer
    /// Signals were lost; what the tree says is to be read anew, and notifications may be missing.
    case signalsLost(Int)
    case clockStepped(Duration)
    case stop
  }

  enum Command: Sendable {
    case call(CallID, BlueZCall)
    case emit(CentralEvent)
    case tell(FollowStatus)
  }

  typealias CallID = UInt64

  let policy: FollowingPolicy
  /// Only this adapter is used; `nil` for any.
  let onlyAdapter: BluetoothAddress?
  let applicationRoot: ObjectPath

  var tree = ObjectTree()
  /// `nil` until the first attempt to connect to the bus has shown it.
  var isBusOpen: Bool?
  /// `nil` until a new connection has shown whether bluetoothd is there.
  var isDaemonPresent: Bool?
  /// Why the last conversation ended, until one comes about.
  var refusal: Refusal?
  var isStopping = false
  /// Something that is watched may be due before what was: measurements alone only put things off.
  var mayBeDueEarlier = true
  var links: [BluetoothAddress: MonitorLink] = [:]
  var duties: [ObjectPath: AdapterDuty] = [:]
  /// What the answers that are awaited belong to. An answer that nobody awaits any more has no entry, and is passed over.
  var purposes: [CallID: Purpose] = [:]
  /// The characteristics whose values are measurements. They stay when a link ends, because bluetoothd subscribes anew by
  /// itself, before it says that the services are resolved.
  var measurementPaths: [ObjectPath: BluetoothAddress] = [:]
  /// The characteristics on which bluetoothd holds a subscription of ours.
  var heldSubscriptions: Set<ObjectPath> = []
  var commands: [Command] = []
  private var lastCall: CallID = 0
  /// From 0 up to 1, for the jitter.
  private let random: @Sendable () -> Double
  var now: BootTime
  var time: ReceiptTime

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
    now = max(now, receipt.boot)
    time = receipt.time
    guard !isStopping else { return [] }
    defer { commands.removeAll(keepingCapacity: true) }
    take(input)
    return commands
  }

  /// When ``Input/timer`` is wanted next; `nil` where nothing depends on time.
  var deadline: BootTime? {
    guard isBusOpen == true, isDaemonPresent == true, !isStopping else { return nil }
    return (links.values.compactMap(deadline(of:)) + duties.keys.compactMap(deadline(ofDutyAt:))).min()
  }

  // MARK: - Inputs

  private mutating func take(_ input: Input) {
    switch input {
    case .busOpened:
      isBusOpen = true
    case .busLost:
      isBusOpen = false
      refusal = nil
      loseDaemon(.busAbsent)
    case .refused(let refusal):
      isBusOpen = false
      self.refusal = refusal
      loseDaemon(refusal.state)
      isDaemonPresent = nil
      for address in followed { set(refusal.state, address, detail: refusal.detail) }
    case .tree(let event):
      guard take(event) else { return }
    case .answered(let id, let answer):
      guard let purpose = purposes.removeValue(forKey: id) else { return }
      take(answer, to: id, for: purpose)
    case .monitors(let monitors):
      follow(monitors)
    case .timer:
      flushDuplicates()
    case .signalsLost(let count):
      loseSignals(count)
    case .clockStepped(let step):
      if step > .zero { tellClockStep() }
    case .stop:
      stop()
    }
    reconcile()
  }

  /// - Returns: Whether anything but measurements came, so that there is something to reconcile.
  private mutating func take(_ event: TreeEvent) -> Bool {
    switch event {
    case .snapshot:
      refusal = nil
      isDaemonPresent = true
    case .daemonVanished:
      refusal = nil
      loseDaemon(.daemonAbsent)
    default: break
    }
    var isRelevant = false
    for change in tree.apply(event) {
      switch change {
      case .value(let path, let bytes):
        if let address = measurementPaths[path] { receive(bytes, from: address) }
      case .removed(let path, _):
        if let address = measurementPaths[path], case .active = links[address]?.subscription {
          // Where the attributes come again under a link that stands, they are subscribed to anew; if all is going, so is the link.
          links[address]?.subscription = .none
          links[address]?.recheckAt = now + policy.firstRetry
        }
        measurementPaths[path] = nil
        heldSubscriptions.remove(path)
        isRelevant = true
      case .changed(_, BlueZInterface.device, let names):
        isRelevant = isRelevant || !names.isSubset(of: Self.advertisedProperties)
      case .added, .changed:
        isRelevant = true
      }
    }
    switch event {
    // Also where nothing differs: it is known now whether bluetoothd is there.
    case .snapshot, .daemonVanished: return true
    default: return isRelevant
    }
  }

  /// What changes with each advertisement of each device in the air, and decides nothing.
  private static let advertisedProperties: Set<String> = [
    "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingFlags", "AdvertisingData",
  ]

  // MARK: - The whole

  private mutating func reconcile() {
    mayBeDueEarlier = true
    guard !isStopping, let isBusOpen, !isBusOpen || isDaemonPresent != nil else { return }
    reconcileAdapters()
    // Whoever has waited longest comes first, or many that are away would keep the others from the adapter.
    let waiting = links.values.sorted {
      ($0.nextAttempt, $0.address.bits) < ($1.nextAttempt, $1.address.bits)
    }
    for link in waiting { reconcile(link.address) }
    reconcileDiscoveries()
  }

  private mutating func reconcile(_ address: BluetoothAddress) {
    guard let link = links[address] else { return }
    let known = tree.devices(with: address)
    let isPaired = known.contains(where: \.isPaired)
    if isPaired, !link.isPaired { links[address]?.welcomeBond(at: now) }
    links[address]?.isPaired = isPaired
    let linked = known.filter { $0.isConnected && isUsable($0.adapter) }
    // The kernel may make a second link by another adapter; the first is as good.
    if let device = linked.first(where: { $0.path == link.device }) ?? linked.first {
      reconcile(address, linkedBy: device)
    } else {
      if link.device != nil || isForsaken(link) { loseLink(address) }
      reconcile(address, unlinked: known)
    }
  }

  /// Measurements came before the link was said to stand, and it is not said.
  private func isForsaken(_ link: MonitorLink) -> Bool {
    link.isToldConnected && link.lastValue.map { now - $0 >= policy.settling } ?? true
  }

  // MARK: - Steps that others use

  /// The monitors that are followed, in an order that does not depend on chance.
  var followed: [BluetoothAddress] { links.keys.sorted { $0.bits < $1.bits } }

  @discardableResult
  mutating func call(_ call: BlueZCall, for purpose: Purpose) -> CallID {
    lastCall += 1
    purposes[lastCall] = purpose
    commands.append(.call(lastCall, call))
    return lastCall
  }

  /// A call whose outcome decides nothing.
  mutating func callOnly(_ call: BlueZCall) {
    lastCall += 1
    commands.append(.call(lastCall, call))
  }

  mutating func emit(_ event: CentralEvent) { commands.append(.emit(event)) }

  /// Says the state, where it is another than before.
  mutating func set(_ state: FollowState, _ address: BluetoothAddress, detail: String? = nil) {
    guard var link = links[address], link.state != state || (detail != nil && link.detail != detail) else {
      return
    }
    link.state = state
    link.detail = detail
    links[address] = link
    let adapter = link.device.flatMap { tree.device(at: $0) }.flatMap { tree.adapter(at: $0.adapter) }
    commands.append(
      .tell(
        FollowStatus(monitor: link.address, state: state, adapter: adapter?.address, detail: detail)))
  }

  /// The next of a monitor's delays of one kind.
  mutating func nextDelay(of kind: WritableKeyPath<MonitorLink, BackOff>, of address: BluetoothAddress)
    -> Duration
  {
    guard var link = links[address] else { return .zero }
    let delay = nextDelay(of: &link[keyPath: kind])
    links[address] = link
    return delay
  }

  mutating func nextDelay(of backOff: inout BackOff) -> Duration {
    backOff.delay(random: random())
  }
}

/// What an answer is awaited for.
enum Purpose: Hashable {
  /// By this adapter.
  case connect(BluetoothAddress, ObjectPath)
  case subscribe(BluetoothAddress, ObjectPath)
  /// StopNotify before StartNotify on the same path.
  case resubscribe(BluetoothAddress, ObjectPath)
  case describe(BluetoothAddress, ObjectPath, BluetoothUUID)
  case removeDevice(BluetoothAddress)
  case resetEnergy(BluetoothAddress)
  case register(ObjectPath)
  case filter(ObjectPath)
  case startDiscovery(ObjectPath)
  case stopDiscovery(ObjectPath)
}

extension Purpose {
  /// What was begun counts, whoever began it.
  var outlivesDaemon: Bool {
    switch self {
    case .connect, .startDiscovery: true
    default: false
    }
  }
}

/// How a call ended.
enum BlueZAnswer: Sendable {
  case done
  case value([UInt8])
  case failed(BlueZError)
}

/// A monitor that is to be followed.
public struct FollowedMonitor: Hashable, Sendable {
  public var address: BluetoothAddress
  /// The adapter that is tried first.
  public var preferredAdapter: BluetoothAddress?
  /// The total of its energy is set to 0 once, when it is first linked.
  public var resetsEnergy: Bool

  public init(
    address: BluetoothAddress, preferredAdapter: BluetoothAddress? = nil, resetsEnergy: Bool = false
  ) {
    self.address = address
    self.preferredAdapter = preferredAdapter
    self.resetsEnergy = resetsEnergy
  }
}
