import Bluetooth
import DBus

@testable import BlueZ
@testable import TestSupport

/// A simulation of bluetoothd, its kernel and some straps, as a value with its own clock. Calls go in, and
/// replies and signals come out after a while, in no fixed order.
struct FakeDaemon {
  typealias CallID = FollowingMachine.CallID

  enum Message {
    case tree(TreeEvent, SenderPosition)
    case answer(CallID, BlueZReply)
    case timedOut(CallID)
  }

  /// Work of the simulation that is due at a later time.
  enum Work {
    case connectEnds(ObjectPath, CallID)
    case kernelLooks(ObjectPath)
    case found(ObjectPath, Int)
    case resolved(ObjectPath, link: Int)
    case beat(ObjectPath, link: Int)
    case supervisionTimeout(ObjectPath, link: Int)
    case strapCloses(ObjectPath, link: Int)

    /// Whether the strap does this work, independently of the state of bluetoothd.
    var isOfStrap: Bool { if case .beat = self { true } else { false } }
  }

  var straps: [FakeStrap]
  var random: SeededGenerator
  var now: BootTime
  var objects: [ObjectPath: [String: Properties]] = [:]
  var isRunning = true
  /// The number of subscribers including the gateway, and so of copies of each signal.
  var copies = 1
  /// Until this time, another client's attempt to connect makes Connect fail.
  var foreignAttemptUntil: BootTime?
  /// Whether the services are removed when a link ends.
  var forgetsServices = false
  /// Whether Disconnect gets a reply, but has no effect.
  var ignoresDisconnect = false
  /// Whether the gateway's GattProfile1 is not registered, so that the kernel does not connect.
  var refusesRegistration = false
  /// Whether StartDiscovery starts a discovery, but gets no reply.
  var losesDiscoveryAnswers = false
  var discoveries: [ObjectPath: BootTime] = [:]
  var registered: Set<ObjectPath> = []
  /// Devices that got a Disconnect while they were not trusted. The kernel does not connect to them until the
  /// next Connect.
  var leftAlone: Set<ObjectPath> = []
  var subscriptions: Set<ObjectPath> = []
  /// Whether a link that drops before its services are resolved makes bluetoothd forget the subscription,
  /// while `Notifying` stays true (5.66 and 5.86).
  var forgetsSubscriptions = false
  /// Subscriptions that bluetoothd has forgotten. StartNotify restores them.
  var forgotten: Set<ObjectPath> = []
  /// Characteristics whose notifications are acquired by another program (AcquireNotify), or by no program
  /// any more because the link was lost during the call.
  var acquired: Set<ObjectPath> = []
  var connecting: [ObjectPath: CallID] = [:]
  /// The number of the gateway's Connects that failed because the link could not be encrypted, and the number
  /// of its canceled Connects.
  var refusedConnects = 0
  var cancelledConnects = 0
  /// The links by device, each with its own number.
  var links: [ObjectPath: Int] = [:]
  var lastLink = 0
  var work: [(time: BootTime, order: Int, work: Work)] = []
  var outbox: [(time: BootTime, order: Int, message: Message)] = []
  var order = 0
  var lastSignal: BootTime
  /// The state on disk: the straps that each adapter knows, and those with which it has a bond.
  var remembered: [ObjectPath: Set<Int>] = [:]
  var bonds: [ObjectPath: Set<Int>] = [:]
  var adapters: [ObjectPath] = []
  var unanswered: Set<CallID> = []
  /// Whether bluetoothd is stopped, as by SIGSTOP: calls and values of straps are queued.
  var isStopped = false
  var wentOn: BootTime?
  var waitingCalls: [(call: BlueZCall, id: CallID)] = []
  var waitingValues: [(path: ObjectPath, value: Properties)] = []
  /// The number of values of a characteristic that the kernel queues while bluetoothd is stopped.
  var queueDepth = Int.max
  /// The time that bluetoothd needs to read a queued value, in milliseconds.
  var readingTime = 0
  /// The number of values after which reading pauses, and the length of the pause in milliseconds.
  var readingPause: (after: Int, milliseconds: Int)?
  /// The position of bluetoothd's last message, by its serial.
  var senderPosition = SenderPosition(serial: 1, responses: 0)

  init(straps: Int, adapters: Int = 1, seed: UInt64, start: BootTime) {
    self.straps = (1...straps).map(FakeStrap.init)
    random = SeededGenerator(seed: seed)
    now = start
    lastSignal = start
    for number in 0..<adapters { addAdapter(number, isReported: false) }
  }

  static func adapter(_ number: Int) -> ObjectPath { ("/org/bluez" as ObjectPath).child("hci\(number)") }
  static func adapterAddress(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(bits: 0x001B_DC0A_0B00 + UInt64(number), kind: .publicDevice)
  }

  // MARK: - Time

  var nextTime: BootTime? { (work.map(\.time) + outbox.map(\.time)).min() }

  /// Advances the clock to `time`, and does all work that is due until then.
  mutating func advance(to time: BootTime) {
    while let next = work.enumerated().min(by: { ($0.1.time, $0.1.order) < ($1.1.time, $1.1.order) }),
      next.element.time <= time
    {
      now = max(now, next.element.time)
      work.remove(at: next.offset)
      perform(next.element.work)
    }
    now = max(now, time)
  }

  /// Returns the next message that has arrived by the current time.
  mutating func nextMessage() -> Message? {
    guard let next = outbox.enumerated().min(by: { ($0.1.time, $0.1.order) < ($1.1.time, $1.1.order) }),
      next.element.time <= now
    else { return nil }
    return outbox.remove(at: next.offset).message
  }

  mutating func later(_ range: ClosedRange<Int>, _ item: Work) {
    order += 1
    work.append((now + .milliseconds(Int.random(in: range, using: &random)), order, item))
  }

  mutating func say(_ event: TreeEvent) {
    order += 1
    lastSignal = max(lastSignal, now + .milliseconds(Int.random(in: 0...20, using: &random)))
    senderPosition.serial += 1
    outbox.append((lastSignal, order, .tree(event, senderPosition)))
  }

  mutating func answer(_ id: CallID, _ answer: BlueZReply) {
    guard unanswered.remove(id) != nil else { return }
    order += 1
    senderPosition.serial += 1
    outbox.append((now + .milliseconds(Int.random(in: 0...30, using: &random)), order, .answer(id, answer)))
  }

  mutating func refuse(_ id: CallID, _ name: String, _ message: String = "") {
    answer(
      id, .failed(BlueZError(name: name.contains(".") ? name : "org.bluez.Error." + name, message: message)))
  }

  // MARK: - Objects

  mutating func add(_ path: ObjectPath, _ interfaces: [String: Properties], isReported: Bool = true) {
    objects[path, default: [:]].merge(interfaces) { $1 }
    if isReported, isRunning { say(.interfacesAdded(path, interfaces)) }
  }

  mutating func remove(_ path: ObjectPath, reportingChildren: Bool = true) {
    let going = objects.keys.filter { $0.hasPrefix(path) }.sorted { $0.rawValue > $1.rawValue }
    for other in going {
      let interfaces = objects.removeValue(forKey: other).map { $0.keys.sorted() } ?? []
      subscriptions.remove(other)
      forgotten.remove(other)
      acquired.remove(other)
      if other == path || reportingChildren { say(.interfacesRemoved(other, interfaces)) }
    }
  }

  mutating func set(_ path: ObjectPath, _ interface: String, _ properties: Properties) {
    guard objects[path]?[interface] != nil else { return }
    objects[path]?[interface]?.merge(properties) { $1 }
    if isRunning {
      say(.propertiesChanged(path, interface: interface, changed: properties, invalidated: []))
    }
  }

  func flag(_ path: ObjectPath, _ interface: String, _ name: String) -> Bool {
    objects[path]?[interface]?[name]?.asBool ?? false
  }

  func strap(of path: ObjectPath) -> Int? {
    straps.firstIndex { strap in adapters.contains { path.hasPrefix(strap.path(by: $0)) } }
  }

  func device(of path: ObjectPath) -> ObjectPath? {
    links.inOrder.first { path.hasPrefix($0.key) }?.key
  }

  func isPowered(_ adapter: ObjectPath) -> Bool { flag(adapter, BlueZInterface.adapter, "Powered") }
}

extension Dictionary where Key == ObjectPath {
  /// The elements sorted by path, so that a seed always gives the same events.
  var inOrder: [(key: ObjectPath, value: Value)] { sorted { $0.key.rawValue < $1.key.rawValue } }
}
