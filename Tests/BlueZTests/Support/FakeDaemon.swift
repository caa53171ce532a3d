import Bluetooth
import DBus

@testable import BlueZ
@testable import TestRecordings

/// bluetoothd, its kernel and some straps, as a value with a clock of its own: what it is asked goes in, and what it
/// says comes out after a while, answers and signals in no fixed order.
struct FakeDaemon {
  typealias CallID = FollowingMachine.CallID

  enum Message {
    case tree(TreeEvent)
    case answer(CallID, BlueZAnswer)
    case timedOut(CallID)
  }

  /// What happens inside of it after some time.
  enum Work {
    case connectEnds(ObjectPath, CallID)
    case kernelLooks(ObjectPath)
    case found(ObjectPath, Int)
    case resolved(ObjectPath, link: Int)
    case beat(ObjectPath, link: Int)
    case supervisionTimeout(ObjectPath, link: Int)
  }

  var straps: [FakeStrap]
  var random: SeededGenerator
  private(set) var now: BootTime
  private(set) var objects: [ObjectPath: [String: Properties]] = [:]
  var isRunning = true
  /// How many subscribers there are with ours.
  var copies = 1
  /// Another client tries to connect: Connect is refused until then.
  var foreignAttemptUntil: BootTime?
  /// Services are forgotten when a link ends.
  var forgetsServices = false
  /// Disconnect is answered, and does nothing.
  var ignoresDisconnect = false
  private(set) var discoveries: [ObjectPath: BootTime] = [:]
  private var registered: Set<ObjectPath> = []
  var subscriptions: Set<ObjectPath> = []
  private(set) var connecting: [ObjectPath: CallID] = [:]
  /// The links that stand, with a number of their own, by device.
  private(set) var links: [ObjectPath: Int] = [:]
  private var lastLink = 0
  private var work: [(time: BootTime, order: Int, work: Work)] = []
  private(set) var outbox: [(time: BootTime, order: Int, message: Message)] = []
  private var order = 0
  private var lastSignal: BootTime
  private var adapters: [ObjectPath] = []
  private var unanswered: Set<CallID> = []

  init(straps: Int, adapters: Int = 1, seed: UInt64, start: BootTime) {
    self.straps = (1...straps).map(FakeStrap.init)
    random = SeededGenerator(seed: seed)
    now = start
    lastSignal = start
    for number in 0..<adapters { addAdapter(number, isTold: false) }
  }

  static func adapter(_ number: Int) -> ObjectPath { ("/org/bluez" as ObjectPath).child("hci\(number)") }
  static func adapterAddress(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(bits: 0x001B_DC0A_0B00 + UInt64(number), kind: .publicDevice)
  }

  // MARK: - Time

  var nextTime: BootTime? { (work.map(\.time) + outbox.map(\.time)).min() }

  /// Lets time pass, up to what is due next.
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

  /// The next message that has arrived by now.
  mutating func nextMessage() -> Message? {
    guard let next = outbox.enumerated().min(by: { ($0.1.time, $0.1.order) < ($1.1.time, $1.1.order) }),
      next.element.time <= now
    else { return nil }
    return outbox.remove(at: next.offset).message
  }

  private mutating func later(_ range: ClosedRange<Int>, _ item: Work) {
    order += 1
    work.append((now + .milliseconds(Int.random(in: range, using: &random)), order, item))
  }

  private mutating func say(_ event: TreeEvent) {
    order += 1
    lastSignal = max(lastSignal, now + .milliseconds(Int.random(in: 0...20, using: &random)))
    outbox.append((lastSignal, order, .tree(event)))
  }

  private mutating func answer(_ id: CallID, _ answer: BlueZAnswer) {
    guard unanswered.remove(id) != nil else { return }
    order += 1
    outbox.append((now + .milliseconds(Int.random(in: 0...30, using: &random)), order, .answer(id, answer)))
  }

  private mutating func refuse(_ id: CallID, _ name: String, _ message: String = "") {
    answer(
      id, .failed(BlueZError(name: name.contains(".") ? name : "org.bluez.Error." + name, message: message)))
  }

  // MARK: - Objects

  private mutating func add(_ path: ObjectPath, _ interfaces: [String: Properties], isTold: Bool = true) {
    objects[path, default: [:]].merge(interfaces) { $1 }
    if isTold, isRunning { say(.interfacesAdded(path, interfaces)) }
  }

  private mutating func remove(_ path: ObjectPath, tellingChildren: Bool = true) {
    let going = objects.keys.filter { $0.hasPrefix(path) }.sorted { $0.rawValue > $1.rawValue }
    for other in going {
      let interfaces = objects.removeValue(forKey: other).map { Array($0.keys) } ?? []
      subscriptions.remove(other)
      if other == path || tellingChildren { say(.interfacesRemoved(other, interfaces)) }
    }
  }

  mutating func set(_ path: ObjectPath, _ interface: String, _ properties: Properties) {
    guard objects[path]?[interface] != nil else { return }
    objects[path]?[interface]?.merge(properties) { $1 }
    if isRunning {
      say(.propertiesChanged(path, interface: interface, changed: properties, invalidated: []))
    }
  }

  private func flag(_ path: ObjectPath, _ interface: String, _ name: String) -> Bool {
    objects[path]?[interface]?[name]?.asBool ?? false
  }

  private func strap(of path: ObjectPath) -> Int? {
    straps.firstIndex { strap in adapters.contains { path.hasPrefix(strap.path(by: $0)) } }
  }

  private func device(of path: ObjectPath) -> ObjectPath? {
    links.keys.first { path.hasPrefix($0) }
  }

  private func isPowered(_ adapter: ObjectPath) -> Bool { flag(adapter, BlueZInterface.adapter, "Powered") }

  // MARK: - Faults

  mutating func addAdapter(_ number: Int, isTold: Bool = true) {
    let path = Self.adapter(number)
    guard objects[path] == nil else { return }
    if !adapters.contains(path) { adapters.append(path) }
    add(
      path,
      [
        BlueZInterface.adapter: [
          "Address": .string(Self.adapterAddress(number).description), "Powered": .boolean(true),
          "PowerState": .string("on"),
        ], BlueZInterface.gattManager: [:],
      ], isTold: isTold)
    for strap in straps where remembered[path]?.contains(strap.number) == true {
      addDevice(strap, by: path, isTold: isTold)
    }
  }

  /// What is kept on disk: the straps that an adapter knows, and those with a bond.
  private(set) var remembered: [ObjectPath: Set<Int>] = [:]
  var bonds: [ObjectPath: Set<Int>] = [:]

  /// The strap is known to bluetoothd, as after enrolment.
  mutating func know(_ number: Int, by adapter: Int = 0, isBonded: Bool = false) {
    let path = Self.adapter(adapter)
    remembered[path, default: []].insert(number)
    if isBonded { bonds[path, default: []].insert(number) }
    addDevice(straps[number - 1], by: path)
  }

  private mutating func addDevice(_ strap: FakeStrap, by adapter: ObjectPath, isTold: Bool = true) {
    let isBonded = bonds[adapter]?.contains(strap.number) == true
    add(
      strap.path(by: adapter),
      [
        BlueZInterface.device: [
          "Address": .string(strap.address.description), "AddressType": .string("random"),
          "Adapter": .objectPath(adapter), "Connected": .boolean(false), "ServicesResolved": .boolean(false),
          "Name": .string("Strap \(strap.number)"), "Paired": .boolean(isBonded),
          "Trusted": .boolean(isBonded),
          "RSSI": .int16(-60),
        ]
      ], isTold: isTold)
    later(100...2000, .kernelLooks(adapter))
  }

  mutating func removeAdapter(_ number: Int, tellingChildren: Bool) {
    let path = Self.adapter(number)
    for (device, id) in connecting where device.hasPrefix(path) {
      connecting[device] = nil
      refuse(id, "Failed", "le-connection-abort-by-local")
    }
    for device in links.keys where device.hasPrefix(path) { links[device] = nil }
    discoveries[path] = nil
    registered.remove(path)
    if objects[path] != nil { remove(path, tellingChildren: tellingChildren) }
  }

  mutating func power(_ number: Int, _ isOn: Bool, isBlocked: Bool = false) {
    let path = Self.adapter(number)
    guard objects[path] != nil, isPowered(path) != isOn else { return }
    if !isOn {
      for (device, id) in connecting where device.hasPrefix(path) {
        connecting[device] = nil
        refuse(id, "Failed", "le-connection-abort-by-local")
      }
      for device in links.keys where device.hasPrefix(path) { drop(device) }
      discoveries[path] = nil
    }
    set(
      path, BlueZInterface.adapter,
      [
        "Powered": .boolean(isOn),
        "PowerState": .string(isOn ? "on" : isBlocked ? "off-blocked" : "off"),
      ])
    if isOn { later(100...2000, .kernelLooks(path)) }
  }

  mutating func update(_ number: Int, _ change: (inout FakeStrap) -> Void) {
    change(&straps[number - 1])
    let strap = straps[number - 1]
    for device in links.keys where device == strap.path(by: device.parent ?? .root) {
      if strap.isAway, let link = links[device] { later(420...5000, .supervisionTimeout(device, link: link)) }
    }
    for adapter in adapters { later(100...3000, .kernelLooks(adapter)) }
  }

  /// The links of a strap end.
  mutating func dropLinks(of number: Int) {
    for adapter in adapters { drop(straps[number - 1].path(by: adapter)) }
  }

  mutating func stopDaemon() {
    guard isRunning else { return }
    isRunning = false
    forgetState()
    say(.daemonVanished)
    // The bus answers in its place.
    for id in unanswered.sorted() { refuse(id, "org.freedesktop.DBus.Error.NoReply") }
  }

  mutating func startDaemon() {
    guard !isRunning else { return }
    for adapter in adapters where objects[adapter] == nil {
      addAdapter(Int(adapter.lastComponent.dropFirst(3)) ?? 0, isTold: false)
    }
    isRunning = true
    say(.snapshot(objects))
  }

  /// The bus ends: what is under way is lost, and our client with what it held.
  mutating func loseBus() {
    outbox.removeAll()
    unanswered.removeAll()
    subscriptions.removeAll()
    discoveries.removeAll()
    registered.removeAll()
    connecting.removeAll()
    lastSignal = now
  }

  /// What a session tells first on a new connection.
  mutating func greet() { say(isRunning ? .snapshot(objects) : .daemonVanished) }

  private mutating func forgetState() {
    objects.removeAll()
    subscriptions.removeAll()
    discoveries.removeAll()
    registered.removeAll()
    connecting.removeAll()
    links.removeAll()
  }

  // MARK: - Links

  private func isInAir(_ strap: FakeStrap) -> Bool {
    // It takes one connection only.
    !strap.isAway && !links.keys.contains { $0 == strap.path(by: $0.parent ?? .root) }
  }

  private mutating func perform(_ item: Work) {
    switch item {
    case .connectEnds(let device, let id):
      guard connecting[device] == id, let index = strap(of: device) else { return }
      connecting[device] = nil
      let isLinked = links[device] != nil
      if isInAir(straps[index]), !straps[index].hasLostBond || bonds[device.parent ?? .root] == nil {
        linkUp(device)
        answer(id, .done)
      } else if isLinked {
        answer(id, .done)
      } else {
        if isInAir(straps[index]) {
          set(device, BlueZInterface.device, ["Connected": .boolean(true)])
          set(device, BlueZInterface.device, ["Connected": .boolean(false)])
        }
        refuse(id, "Failed", "le-connection-abort-by-local")
      }
    case .kernelLooks(let adapter):
      guard isRunning, isPowered(adapter), registered.contains(adapter), discoveries[adapter] == nil else {
        return
      }
      for strap in straps where isInAir(strap) && !strap.hasLostBond {
        let device = strap.path(by: adapter)
        if flag(device, BlueZInterface.device, "Trusted"), connecting[device] == nil { linkUp(device) }
      }
    case .found(let adapter, let number):
      let strap = straps[number - 1]
      guard discoveries[adapter] != nil, isInAir(strap) else { return }
      if objects[strap.path(by: adapter)] == nil {
        addDevice(strap, by: adapter)
      } else {
        set(strap.path(by: adapter), BlueZInterface.device, ["RSSI": .int16(-55)])
      }
    case .resolved(let device, let link):
      guard links[device] == link, let index = strap(of: device), !straps[index].isFrozen else { return }
      let remembers = objects.keys.contains { $0 != device && $0.hasPrefix(device) }
      if !remembers {
        for (path, interfaces) in straps[index].services(below: device) { add(path, interfaces) }
        add(device, [BlueZInterface.battery: ["Percentage": .byte(80)]])
      }
      set(device, BlueZInterface.device, ["ServicesResolved": .boolean(true)])
    case .beat(let device, let link):
      beat(device, link)
    case .supervisionTimeout(let device, let link):
      guard links[device] == link, let index = strap(of: device) else { return }
      if straps[index].isAway || straps[index].isFrozen { drop(device) }
    }
  }

  private mutating func linkUp(_ device: ObjectPath) {
    guard objects[device] != nil, links[device] == nil else { return }
    lastLink += 1
    links[device] = lastLink
    if let number = strap(of: device).map({ straps[$0].number }), let adapter = device.parent {
      remembered[adapter, default: []].insert(number)
    }
    set(device, BlueZInterface.device, ["Connected": .boolean(true)])
    // A subscription that was kept is turned on before the services are said to be there.
    later(50...1500, .resolved(device, link: lastLink))
    later(20...1200, .beat(device, link: lastLink))
  }

  mutating func drop(_ device: ObjectPath) {
    guard links.removeValue(forKey: device) != nil else { return }
    set(device, BlueZInterface.device, ["ServicesResolved": .boolean(false)])
    set(device, BlueZInterface.device, ["Connected": .boolean(false)])
    if forgetsServices {
      for path in objects.keys.filter({ $0 != device && $0.hasPrefix(device) }).sorted(by: {
        $0.rawValue > $1.rawValue
      }) where objects[path] != nil { remove(path) }
    }
    if let adapter = device.parent { later(100...5000, .kernelLooks(adapter)) }
  }

  private mutating func beat(_ device: ObjectPath, _ link: Int) {
    guard links[device] == link, let index = strap(of: device) else { return }
    later(700...1300, .beat(device, link: link))
    let strap = straps[index]
    let path = device.child("service\(10 + strap.shift)").child("char\(11 + strap.shift)")
    guard !strap.isMute, !strap.isFrozen, !strap.isAway, isRunning, subscriptions.contains(path) else {
      return
    }
    straps[index].sent += 1
    let value: Properties = ["Value": .bytes([0, UInt8(strap.sent >> 8), UInt8(strap.sent & 0xFF)])]
    for _ in 0..<copies { set(path, BlueZInterface.gattCharacteristic, value) }
  }

  // MARK: - Calls

  mutating func take(_ call: BlueZCall, _ id: CallID) {
    order += 1
    unanswered.insert(id)
    outbox.append((now + call.timeout, order, .timedOut(id)))
    guard isRunning else { return refuse(id, "org.freedesktop.DBus.Error.ServiceUnknown") }
    guard objects[call.message.path] != nil || call.message.path == "/org/bluez" else {
      return refuse(id, "org.freedesktop.DBus.Error.UnknownObject")
    }
    switch call {
    case .connect(let device): connect(device, id)
    case .disconnect(let device): disconnect(device, id)
    case .setTrusted(let device):
      set(device, BlueZInterface.device, ["Trusted": .boolean(true)])
      answer(id, .done)
    case .removeDevice(let adapter, let device): removeDevice(device, of: adapter, id)
    case .startDiscovery(let adapter): startDiscovery(adapter, id)
    case .stopDiscovery(let adapter):
      guard discoveries.removeValue(forKey: adapter) != nil else {
        return refuse(id, "Failed", "No discovery started")
      }
      answer(id, .done)
      later(100...2000, .kernelLooks(adapter))
    case .startNotify(let path): startNotify(path, id)
    case .stopNotify(let path):
      guard subscriptions.remove(path) != nil else {
        return refuse(id, "Failed", "No notify session started")
      }
      if isFrozen(path) { return }
      set(path, BlueZInterface.gattCharacteristic, ["Notifying": .boolean(false)])
      answer(id, .done)
    case .readValue(let path):
      guard device(of: path) != nil else { return refuse(id, "NotConnected", "Not connected") }
      if !isFrozen(path) { answer(id, .value([1])) }
    case .registerApplication(let adapter, _):
      registered.insert(adapter)
      answer(id, .done)
      later(100...2000, .kernelLooks(adapter))
    default: answer(id, .done)
    }
  }

  private mutating func isFrozen(_ path: ObjectPath) -> Bool {
    guard let device = device(of: path), let link = links[device], let index = strap(of: device),
      straps[index].isFrozen
    else { return false }
    // bluetoothd gives up a link on which a request goes unanswered.
    later(30_000...30_000, .supervisionTimeout(device, link: link))
    return true
  }

  private mutating func connect(_ device: ObjectPath, _ id: CallID) {
    guard let adapter = device.parent, isPowered(adapter) else {
      return refuse(id, "NotReady", "Resource Not Ready")
    }
    if links[device] != nil { return answer(id, .done) }
    if connecting[device] != nil || foreignAttemptUntil.map({ now < $0 }) == true {
      return refuse(id, "InProgress", "Operation already in progress")
    }
    connecting[device] = id
    guard let index = strap(of: device) else { return }
    if isInAir(straps[index]) {
      later(50...3000, .connectEnds(device, id))
    } else {
      later(41_000...41_000, .connectEnds(device, id))
    }
  }

  private mutating func disconnect(_ device: ObjectPath, _ id: CallID) {
    if ignoresDisconnect { return answer(id, .done) }
    if let pending = connecting.removeValue(forKey: device) {
      refuse(pending, "Failed", "br-connection-canceled")
      return answer(id, .done)
    }
    guard links[device] != nil else { return refuse(id, "NotConnected", "Not Connected") }
    drop(device)
    answer(id, .done)
  }

  private mutating func removeDevice(_ device: ObjectPath, of adapter: ObjectPath, _ id: CallID) {
    guard objects[device] != nil, let index = strap(of: device) else {
      return refuse(id, "DoesNotExist", "Does Not Exist")
    }
    drop(device)
    remembered[adapter]?.remove(straps[index].number)
    bonds[adapter]?.remove(straps[index].number)
    remove(device)
    answer(id, .done)
  }

  private mutating func startDiscovery(_ adapter: ObjectPath, _ id: CallID) {
    guard isPowered(adapter) else { return refuse(id, "NotReady", "Resource Not Ready") }
    guard discoveries[adapter] == nil else {
      return refuse(id, "InProgress", "Operation already in progress")
    }
    discoveries[adapter] = now
    answer(id, .done)
    for strap in straps { later(100...4000, .found(adapter, strap.number)) }
  }

  private mutating func startNotify(_ path: ObjectPath, _ id: CallID) {
    guard let device = device(of: path), let index = strap(of: path) else {
      return refuse(id, "NotConnected", "Not connected")
    }
    if isFrozen(path) { return }
    if subscriptions.contains(path) { return refuse(id, "InProgress", "In Progress") }
    let strap = straps[index]
    let isPaired = flag(device, BlueZInterface.device, "Paired")
    if strap.wantsPairing, !isPaired { return refuse(id, "NotPermitted", "Not paired") }
    let isThere = !strap.lacksMeasurement && path.lastComponent == "char\(11 + strap.shift)"
    guard isThere else { return refuse(id, "Failed", "Operation failed with ATT error: 0x01") }
    subscriptions.insert(path)
    set(path, BlueZInterface.gattCharacteristic, ["Notifying": .boolean(true)])
    answer(id, .done)
  }
}
