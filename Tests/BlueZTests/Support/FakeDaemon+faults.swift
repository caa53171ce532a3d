import Bluetooth
import DBus

@testable import BlueZ
@testable import TestSupport

/// Faults that a test causes.
extension FakeDaemon {
  mutating func addAdapter(_ number: Int, isReported: Bool = true) {
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
      ], isReported: isReported)
    for strap in straps where remembered[path]?.contains(strap.number) == true {
      addDevice(strap, by: path, isReported: isReported)
    }
  }

  /// Continues, as after SIGCONT: handles the values that the kernel kept, and then the calls that were
  /// queued, however late they are.
  mutating func goOn() {
    isStopped = false
    wentOn = now
    for (number, item) in waitingValues.enumerated() {
      lastSignal = max(lastSignal, now) + .milliseconds(readingTime)
      if let pause = readingPause, pause.after == number {
        lastSignal = lastSignal + .milliseconds(pause.milliseconds)
      }
      for _ in 0..<copies { set(item.path, BlueZInterface.gattCharacteristic, item.value) }
    }
    waitingValues.removeAll()
    let calls = waitingCalls
    waitingCalls.removeAll()
    for item in calls { execute(item.call, item.id) }
  }

  /// Pauses the machine and all its clocks while a strap sends measurements.
  mutating func pauseMachine(while count: Int, from number: Int = 1) {
    let index = number - 1
    guard !isStopped, isRunning,
      let path = subscriptions.sorted(by: { $0.rawValue < $1.rawValue }).first(where: {
        strap(of: $0) == index && device(of: $0) != nil
      })
    else { return }
    isStopped = true
    for _ in 0..<count { measure(index, at: path) }
    goOn()
  }

  /// Adds the strap to bluetoothd, as after its enrollment.
  mutating func know(_ number: Int, by adapter: Int = 0, isBonded: Bool = false) {
    let path = Self.adapter(adapter)
    remembered[path, default: []].insert(number)
    if isBonded { bonds[path, default: []].insert(number) }
    addDevice(straps[number - 1], by: path)
  }

  mutating func addDevice(_ strap: FakeStrap, by adapter: ObjectPath, isReported: Bool = true) {
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
      ], isReported: isReported)
    later(100...2000, .kernelLooks(adapter))
  }

  mutating func removeAdapter(_ number: Int, reportingChildren: Bool) {
    let path = Self.adapter(number)
    for (device, id) in connecting.inOrder where device.hasPrefix(path) {
      connecting[device] = nil
      refuse(id, "Failed", "le-connection-abort-by-local")
    }
    for device in links.inOrder.map(\.key) where device.hasPrefix(path) { links[device] = nil }
    discoveries[path] = nil
    registered.remove(path)
    if objects[path] != nil { remove(path, reportingChildren: reportingChildren) }
  }

  mutating func power(_ number: Int, _ isOn: Bool, isBlocked: Bool = false) {
    let path = Self.adapter(number)
    guard objects[path] != nil, isPowered(path) != isOn else { return }
    if !isOn {
      for (device, id) in connecting.inOrder where device.hasPrefix(path) {
        connecting[device] = nil
        refuse(id, "Failed", "le-connection-abort-by-local")
      }
      for device in links.inOrder.map(\.key) where device.hasPrefix(path) { drop(device) }
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
    for device in links.inOrder.map(\.key) where device == strap.path(by: device.parent ?? .root) {
      if strap.isAway, let link = links[device] { later(420...5000, .supervisionTimeout(device, link: link)) }
    }
    for adapter in adapters { later(100...3000, .kernelLooks(adapter)) }
  }

  /// Lets another program acquire the notifications of a characteristic. The gateway's own subscription ends,
  /// because bluetoothd accepts AcquireNotify only without one.
  ///
  /// StopNotify and RemoveDevice now crash bluetoothd, as they may before 5.84.
  mutating func acquire(_ path: ObjectPath) {
    guard objects[path] != nil else { return }
    subscriptions.remove(path)
    forgotten.remove(path)
    acquired.insert(path)
    set(path, BlueZInterface.gattCharacteristic, ["NotifyAcquired": .boolean(true)])
  }

  mutating func release(_ path: ObjectPath) {
    guard acquired.remove(path) != nil else { return }
    set(path, BlueZInterface.gattCharacteristic, ["NotifyAcquired": .boolean(false)])
  }

  /// Ends the links of a strap.
  mutating func dropLinks(of number: Int) {
    for adapter in adapters { drop(straps[number - 1].path(by: adapter)) }
  }

  mutating func stopDaemon() {
    guard isRunning else { return }
    isRunning = false
    isStopped = false
    waitingCalls.removeAll()
    waitingValues.removeAll()
    forgetState()
    say(.daemonVanished)
    // The bus replies to unanswered calls, because bluetoothd has exited.
    for id in unanswered.sorted() { refuse(id, "org.freedesktop.DBus.Error.NoReply") }
  }

  mutating func startDaemon() {
    guard !isRunning else { return }
    for adapter in adapters where objects[adapter] == nil {
      addAdapter(Int(adapter.lastComponent.dropFirst(3)) ?? 0, isReported: false)
    }
    isRunning = true
    say(.snapshot(objects))
  }

  /// Ends the bus: undelivered messages are lost, and so is everything that bluetoothd held for the gateway.
  mutating func loseBus() {
    outbox.removeAll()
    unanswered.removeAll()
    subscriptions.removeAll()
    discoveries.removeAll()
    registered.removeAll()
    connecting.removeAll()
    lastSignal = now
  }

  /// Drops signals that have not arrived yet.
  mutating func loseSignals() {
    outbox.removeAll { if case .tree = $0.message { true } else { false } }
  }

  /// Sends the first message of a session on a new connection.
  mutating func greet() { say(isRunning ? .snapshot(objects) : .daemonVanished) }

  mutating func forgetState() {
    objects.removeAll()
    subscriptions.removeAll()
    acquired.removeAll()
    discoveries.removeAll()
    registered.removeAll()
    connecting.removeAll()
    links.removeAll()
    leftAlone.removeAll()
  }
}
