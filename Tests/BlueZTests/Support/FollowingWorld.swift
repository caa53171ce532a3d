import Bluetooth
import DBus
import Synchronization

@testable import BlueZ
@testable import TestSupport

/// A ``FollowingMachine`` and a ``FakeDaemon`` on one simulated clock. Checks the invariants at each step.
struct FollowingWorld {
  private(set) var machine: FollowingMachine
  var daemon: FakeDaemon
  private(set) var now: BootTime
  private(set) var isBusOpen = false

  /// The reported states and emitted events, with their times.
  private(set) var states: [(time: BootTime, status: FollowStatus)] = []
  private(set) var events: [(time: BootTime, event: CentralEvent)] = []
  private(set) var signals: [HeardSignal] = []
  private(set) var calls: [(time: BootTime, call: BlueZCall)] = []
  /// Descriptions of the violated invariants.
  private(set) var faults: [String] = []
  private var awaited: [FakeDaemon.CallID: BlueZCall] = [:]
  private var isReported: [PeripheralIdentity: (connected: Bool, gap: Bool)] = [:]
  private var received: [PeripheralIdentity: [[UInt8]]] = [:]
  private var emitted: [PeripheralIdentity: [[UInt8]]] = [:]
  /// Whether values are passed to the machine as separate inputs, as the bus passes most of them, or as tree
  /// events.
  private let isPlain: Bool
  private var idle = 0

  static let start = BootTime(nanoseconds: 1_000_000_000_000)
  private static let mostInputsAtOnce = 200

  init(
    straps: Int = 1, adapters: Int = 1, onlyAdapter: BluetoothAddress? = nil, seed: UInt64 = 1,
    isPlain: Bool = true
  ) {
    self.isPlain = isPlain
    now = Self.start
    daemon = FakeDaemon(straps: straps, adapters: adapters, seed: seed, start: now)
    machine = FollowingMachine(
      onlyAdapter: onlyAdapter, applicationRoot: "/org/hrgate", random: Self.chance(seed),
      start: Self.receipt(now))
  }

  private static func chance(_ seed: UInt64) -> @Sendable () -> Double {
    let generator = SharedGenerator(seed)
    return { generator.next() }
  }

  private static func receipt(_ time: BootTime) -> Receipt {
    Receipt(
      boot: time, time: ReceiptTime(microsecondsSince1970: Int64(time.nanoseconds / 1000)))
  }

  // MARK: - Actions of a test

  mutating func follow(
    _ numbers: [Int], preferring adapter: Int? = nil, areBonded: Bool = false, resettingEnergy: Bool = false
  ) {
    give(
      .monitors(
        numbers.map {
          FollowedMonitor(
            address: FakeStrap.address($0), name: "Strap \($0)",
            preferredAdapter: adapter.map(FakeDaemon.adapterAddress),
            isBonded: areBonded, resetsEnergy: resettingEnergy)
        }))
  }

  mutating func openBus() {
    guard !isBusOpen else { return }
    isBusOpen = true
    give(.busOpened)
    daemon.greet()
  }

  mutating func loseBus() {
    guard isBusOpen else { return }
    isBusOpen = false
    awaited.removeAll()
    daemon.loseBus()
    give(.busLost)
  }

  /// Connects the bus while bluetoothd does not reply to requests.
  mutating func openSilentBus() {
    isBusOpen = true
    give(.busOpened)
  }

  /// Simulates lost signals: undelivered messages are discarded, and a snapshot follows.
  mutating func loseSignals() {
    guard isBusOpen else { return }
    daemon.loseSignals()
    give(.tree(.signalsLost))
    daemon.greet()
  }

  mutating func refuse(_ refusal: BusAccessFailure) {
    isBusOpen = false
    awaited.removeAll()
    daemon.loseBus()
    give(.refused(refusal))
  }

  mutating func give(_ input: FollowingMachine.Input, at senderPosition: SenderPosition? = nil) {
    var receipt = Self.receipt(now)
    receipt.senderPosition = senderPosition
    carryOut(machine.handle(input, at: receipt))
  }

  mutating func setClock(by seconds: Int) {
    let origin = ReceiptTime(microsecondsSince1970: Int64(seconds) * 1_000_000)
    give(.clockSet(ClockSetting(boot: "this", origin: origin), step: .seconds(seconds)))
  }

  mutating func run(_ duration: Duration) {
    let end = now + duration
    while let next = [daemon.nextTime, machine.deadline].compactMap(\.self).min(), next <= end,
      faults.count < 5
    {
      step(to: next)
    }
    move(to: end)
  }

  /// - Returns: The time until the condition was met; `nil` if it was not met in time.
  mutating func run(atMost limit: Duration, until condition: (Self) -> Bool) -> Duration? {
    let begin = now
    while !condition(self), faults.count < 5 {
      guard let next = [daemon.nextTime, machine.deadline].compactMap(\.self).min(), next <= begin + limit
      else {
        return nil
      }
      step(to: next)
    }
    return condition(self) ? now - begin : nil
  }

  func state(_ number: Int = 1) -> FollowState? {
    states.last { $0.status.monitor == FakeStrap.address(number) }?.status.state
  }

  func wasIn(_ state: FollowState, since time: BootTime = Self.start) -> Bool {
    states.contains { $0.status.state == state && $0.time >= time }
  }

  /// Returns the number of links since a time.
  func links(since time: BootTime) -> Int {
    states.count { $0.status.state == .resolving && $0.time >= time }
  }

  /// The reported states and the emitted events, with their times.
  var record: [String] {
    states.map { "\($0.time.nanoseconds) \($0.status)" } + events.map { "\($0.time.nanoseconds) \($0.event)" }
      + calls.map { "\($0.time.nanoseconds) \($0.call)" }
  }

  /// Returns the events that were emitted for a strap since a time, as texts.
  func story(_ number: Int = 1, since time: BootTime = Self.start) -> [String] {
    events.filter { $0.time >= time }.compactMap {
      Self.word($0.event, of: .address(FakeStrap.address(number)))
    }
  }

  /// The numbers of the emitted measurements.
  func notified(_ number: Int = 1) -> [Int] {
    (emitted[.address(FakeStrap.address(number))] ?? []).map { Int($0[1]) << 8 | Int($0[2]) }
  }

  mutating func endAndCheckMeasurements() {
    give(.stop)
    for (peripheral, values) in received where emitted[peripheral] ?? [] != values {
      faults.append(
        "\(peripheral): \(values.count) notified, emitted \(emitted[peripheral]?.count ?? 0), or in another order"
      )
    }
  }

  // MARK: - Time

  private mutating func move(to time: BootTime) {
    if time > now { idle = 0 }
    now = max(now, time)
    daemon.advance(to: now)
  }

  private mutating func step(to time: BootTime) {
    move(to: time)
    idle += 1
    if idle > Self.mostInputsAtOnce {
      let latest = calls.filter { $0.time == now }.map { "\($0.call)" }
      fault(
        "\(idle) inputs and no time passes; deadline \(machine.deadline.map { "\($0)" } ?? "none"); "
          + "\(latest.count) calls, the last \(latest.suffix(4))")
      idle = 0
      move(to: now + .milliseconds(100))
    }
    if let message = daemon.nextMessage() {
      let made = calls.count
      deliver(message)
      // After it was stopped, bluetoothd sends any number of messages at once.
      if calls.count == made { idle -= 1 }
      return
    }
    if let deadline = machine.deadline, deadline <= now { give(.timer) }
  }

  private mutating func deliver(_ message: FakeDaemon.Message) {
    guard isBusOpen else { return }
    switch message {
    case .tree(let event, let senderPosition):
      note(event)
      if isPlain,
        case .propertiesChanged(let path, BlueZInterface.gattCharacteristic, let changed, []) = event,
        changed.count == 1, let bytes = changed["Value"]?.asBytes
      {
        give(.value(path, AttributeValue(bytes)), at: senderPosition)
      } else {
        give(.tree(event), at: senderPosition)
      }
    case .answer(let id, let answer):
      guard awaited.removeValue(forKey: id) != nil else { return }
      give(.answered(id, answer))
    case .timedOut(let id):
      guard awaited.removeValue(forKey: id) != nil else { return }
      give(.answered(id, .failed(BlueZError(name: "org.hrgate.DBus.Error.TimedOut", message: "no reply"))))
    }
  }

  private mutating func note(_ event: TreeEvent) {
    guard case .propertiesChanged(let path, BlueZInterface.gattCharacteristic, let changed, _) = event,
      let bytes = changed["Value"]?.asBytes,
      let strap = daemon.straps.first(where: { path.rawValue.contains("/dev_\($0.number)/") }),
      machine.monitors[strap.address] != nil
    else { return }
    received[.address(strap.address), default: []].append(bytes)
  }

  // MARK: - Invariants

  private mutating func fault(_ text: String) {
    faults.append("\(now - Self.start): \(text)")
  }

  private mutating func carryOut(_ commands: [FollowingMachine.Command]) {
    for command in commands {
      switch command {
      case .call(let id, let call): take(call, id)
      case .emit(let event):
        events.append((now, event))
        check(event)
      case .report(let status): states.append((now, status))
      case .hear(let signal): signals.append(signal)
      }
    }
    let window = FollowingPolicy().discoveryWindow + .seconds(1)
    for (adapter, since) in daemon.discoveries where isBusOpen && !daemon.isStopped {
      // The time during which bluetoothd was stopped does not count, because it could not end the discovery.
      let open = daemon.now - max(since, daemon.wentOn ?? since)
      if open > window { fault("a discovery is open for \(open) by \(adapter)") }
    }
  }

  private mutating func take(_ call: BlueZCall, _ id: FakeDaemon.CallID) {
    calls.append((now, call))
    guard isBusOpen else { return fault("a call without a bus: \(call)") }
    if case .connect(let device) = call, let adapter = device.parent {
      for (_, other) in awaited {
        if case .connect(let busy) = other, busy.parent == adapter {
          fault("Connect to \(device.lastComponent) while \(busy.lastComponent) is awaited")
        }
        if other == .startDiscovery(adapter: adapter) { fault("Connect while a discovery starts") }
      }
      if daemon.discoveries[adapter] != nil { fault("Connect while our discovery is open") }
    }
    if let path = acquired(by: call) { fault("\(call) while \(path) is acquired") }
    if case .startDiscovery(let adapter) = call {
      for case .connect(let busy) in awaited.values where busy.parent == adapter {
        fault("a discovery while Connect to \(busy.lastComponent) is awaited")
      }
    }
    awaited[id] = call
    daemon.take(call, id)
  }

  /// If a call would end an acquisition that signals have reported, returns the acquired characteristic.
  private func acquired(by call: BlueZCall) -> ObjectPath? {
    machine.tree.objects.inOrder.map(\.key).first { path in
      switch call {
      case .stopNotify(path), .removeDevice(_, path.parent?.parent):
        machine.tree.properties(BlueZInterface.gattCharacteristic, at: path)?["NotifyAcquired"]
          == .boolean(true)
      default: false
      }
    }
  }

  private mutating func check(_ event: CentralEvent) {
    switch event {
    case .connected(let peripheral, _):
      if isReported[peripheral]?.connected == true { fault("connected twice") }
      isReported[peripheral] = (true, false)
    case .gapBegan(let peripheral, _, _):
      isReported[peripheral]?.gap = true
    case .disconnected(let peripheral, _):
      if isReported[peripheral]?.connected != true { fault("disconnected without connected") }
      if isReported[peripheral]?.gap != true { fault("disconnected without a gap before") }
      isReported[peripheral] = (false, false)
    case .notified(let notification):
      if isReported[notification.peripheral]?.connected != true { fault("a notification without a link") }
      emitted[notification.peripheral, default: []].append(notification.value.bytes)
    default: break
    }
  }

  private static func word(_ event: CentralEvent, of peripheral: PeripheralIdentity) -> String? {
    switch event {
    case .connected(peripheral, _): "connected"
    case .gapBegan(peripheral, let cause, _): "gap: \(cause.rawValue)"
    case .disconnected(peripheral, _): "disconnected"
    case .named(peripheral, _): "named"
    case .described(peripheral): "described"
    case .valueRead(peripheral, let uuid, _): "read \(uuid)"
    case .interrupted: "interrupted"
    case .clockSet: "clock set"
    default: nil
    }
  }
}

/// A seeded random number generator in a closure.
private final class SharedGenerator: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

  func next() -> Double { generator.withLock { .random(in: 0..<1, using: &$0) } }
}
