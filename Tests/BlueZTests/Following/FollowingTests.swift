import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// Tests that each state is reached and reported, and that it ends without intervention.
@Suite struct FollowingTests {
  /// Returns a new world in which bluetoothd knows one strap and the gateway must follow it.
  static func begun(
    isBonded: Bool = false, adapters: Int = 1, _ prepare: (inout FakeDaemon) -> Void = { _ in }
  ) -> FollowingWorld {
    var world = FollowingWorld(adapters: adapters)
    prepare(&world.daemon)
    world.daemon.know(1, isBonded: isBonded)
    world.follow([1])
    world.openBus()
    return world
  }

  /// Returns a world in which the strap is already followed.
  static func followed(isBonded: Bool = false, adapters: Int = 1) -> FollowingWorld {
    var world = begun(isBonded: isBonded, adapters: adapters)
    #expect(world.run(atMost: .seconds(10)) { $0.state() == .following } != nil)
    world.run(.seconds(5))
    return world
  }

  static func check(_ world: FollowingWorld) {
    var world = world
    world.endAndCheckMeasurements()
    #expect(world.faults == [])
  }

  @Test func `a strap is connected, described and subscribed to, and its values are emitted`() {
    let world = Self.followed()
    #expect(world.wasIn(.connecting) && world.wasIn(.resolving) && world.wasIn(.subscribing))
    let story = world.story()
    #expect(story.first == "connected")
    #expect(Set(story) == ["connected", "named", "read 2a38", "read 2a29", "read 2a19", "described"])
    #expect(story.count == 6)
    #expect(world.notified().count > 2)
    #expect(world.notified() == Array(0..<world.notified().count))
    Self.check(world)
  }

  @Test
  func `a strap that bluetoothd does not know is searched for, and the discovery ends when it is found`() {
    var world = FollowingWorld()
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
    #expect(world.wasIn(.searching))
    #expect(world.daemon.discoveries.isEmpty)
    Self.check(world)
  }

  @Test func `a strap that is not found is reported with advice, and with its new address if that is found`()
  {
    var world = FollowingWorld()
    world.daemon.update(1) { $0.isAway = true }
    world.follow([1])
    world.openBus()
    func isHinted(_ world: FollowingWorld, _ hint: String) -> Bool {
      world.state() == .searching && world.states.last?.status.detail?.contains(hint) == true
    }
    #expect(world.run(atMost: .seconds(60)) { isHinted($0, "hrgate scan") } != nil)
    #expect(world.run(atMost: .seconds(60)) { !$0.daemon.discoveries.isEmpty } != nil)
    func addNamesake(_ name: String, _ address: String) {
      let adapter = FakeDaemon.adapter(0)
      world.daemon.add(
        adapter.child(name),
        [
          BlueZInterface.device: [
            "Address": .string(address), "AddressType": .string("random"),
            "Adapter": .objectPath(adapter), "Name": .string("Strap 1"), "RSSI": .int16(-50),
            "UUIDs": .strings([BluetoothUUID.heartRate.fullForm]),
          ]
        ])
    }
    addNamesake("dev_9", "4A:28:F8:40:A1:F1")
    #expect(world.run(atMost: .seconds(60)) { isHinted($0, "hrgate pair 4A:28:F8:40:A1:F1") } != nil)
    #expect(isHinted(world, "has a new address") && isHinted(world, "hrgate forget F0:0D:BE:A7:01:01"))
    addNamesake("dev_8", "4A:28:F8:40:A1:F2")
    #expect(world.run(atMost: .seconds(300)) { isHinted($0, "2 monitors with its name") } != nil)
    #expect(!isHinted(world, "4A:28:F8:40"))
    world.daemon.update(1) { $0.isAway = false }
    #expect(world.run(atMost: .seconds(600)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.detail == nil)
    Self.check(world)
  }

  @Test func `a strap that accepts no connection is reported with possible causes`() {
    var world = Self.begun { $0.update(1) { $0.isAway = true } }
    func isHinted(_ world: FollowingWorld) -> Bool {
      world.state() == .away && world.states.last?.status.detail?.contains("connect failed") == true
    }
    #expect(world.run(atMost: .seconds(5)) { isHinted($0) } == nil)
    #expect(world.run(atMost: .seconds(120)) { isHinted($0) } != nil)
    world.daemon.update(1) { $0.isAway = false }
    #expect(world.run(atMost: .seconds(600)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.detail == nil)
    Self.check(world)
  }

  @Test func `a name that changes during a link is reported`() {
    var world = Self.followed()
    let device = FakeStrap(1).path(by: FakeDaemon.adapter(0))
    world.daemon.set(device, BlueZInterface.device, ["Name": .string("My strap")])
    world.run(.seconds(1))
    let names = world.events.compactMap { event -> String? in
      if case .named(_, let name) = event.event { name } else { nil }
    }
    #expect(names == ["Strap 1", "My strap"])
    Self.check(world)
  }

  @Test func `without a bus and without bluetoothd, each state is reported, and recovers`() {
    var world = Self.followed()
    let lost = world.now
    world.loseBus()
    #expect(world.state() == .busAbsent)
    #expect(world.story(since: lost) == ["gap: bus-absent", "disconnected"])
    world.run(.seconds(60))
    world.daemon.stopDaemon()
    world.openBus()
    world.run(.seconds(1))
    #expect(world.state() == .daemonAbsent)
    world.daemon.startDaemon()
    #expect(world.run(atMost: .seconds(30)) { $0.state() == .following } != nil)
    let stopped = world.now
    world.daemon.stopDaemon()
    world.run(.seconds(1))
    #expect(world.state() == .daemonAbsent)
    #expect(world.story(since: stopped) == ["gap: bluetoothd-absent", "disconnected"])
    world.daemon.startDaemon()
    #expect(world.run(atMost: .seconds(30)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `the end of bluetoothd is the cause of the gap, even while the link is being closed`() {
    var world = Self.followed()
    let device = FakeStrap(1).path(by: FakeDaemon.adapter(0))
    world.daemon.ignoresDisconnect = true
    world.daemon.update(1) { $0.isMute = true }
    world.daemon.set(device, BlueZInterface.device, ["ServicesResolved": .boolean(false)])
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .frozen } != nil)
    let closing = world.now
    world.daemon.stopDaemon()
    world.run(.seconds(1))
    #expect(world.story(since: closing) == ["gap: bluetoothd-absent", "disconnected"])
    Self.check(world)
  }

  @Test func `a bluetoothd that removes its objects before it ends is absent, not its adapter`() {
    var world = Self.followed()
    world.daemon.removeAdapter(0, reportingChildren: true)
    world.run(.seconds(1))
    #expect(world.state() == .adapterAbsent)
    world.daemon.stopDaemon()
    world.run(.seconds(1))
    #expect(world.state() == .daemonAbsent)
    Self.check(world)
  }

  @Test func `a bus that rejects the user is reported with its message`() {
    var world = FollowingWorld()
    world.follow([1])
    world.give(.refused(.bus("LimitsExceeded")))
    #expect(world.state() == .busAbsent)
    #expect(world.states.last?.status.detail == "LimitsExceeded")
  }

  @Test(arguments: [
    (BusAccessFailure.daemonUnresponsive("no reply"), FollowState.daemonUnresponsive),
    (.notPermitted("AccessDenied"), .notPermitted),
  ])
  func `a failed session ends the link, and is reported until the next one succeeds`(
    refusal: BusAccessFailure, state: FollowState
  ) {
    var world = Self.followed()
    let begin = world.now
    world.refuse(refusal)
    #expect(world.story(since: begin) == ["gap: bluetoothd-absent", "disconnected"])
    let count = world.states.count
    // The next session with bluetoothd fails too. The repeated failure is not reported again.
    world.openSilentBus()
    world.run(.seconds(10))
    world.refuse(refusal)
    #expect(world.states.count == count)
    #expect(world.states.last?.status.state == state)
    #expect(world.states.last?.status.detail == refusal.detail)
    world.openBus()
    #expect(world.run(atMost: .seconds(30)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test(arguments: [true, false])
  func `an adapter that is removed ends the link, whether its children are reported or not`(areReported: Bool)
  {
    var world = Self.followed()
    let taken = world.now
    world.daemon.removeAdapter(0, reportingChildren: areReported)
    world.run(.seconds(1))
    #expect(world.state() == .adapterAbsent)
    // If the device is removed before its adapter, the gateway does not know yet that the adapter is gone.
    let cause = areReported ? "gap: link-loss" : "gap: adapter-absent"
    #expect(world.story(since: taken) == [cause, "disconnected"])
    world.daemon.addAdapter(0)
    #expect(world.run(atMost: .seconds(30)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test(arguments: [(false, FollowState.adapterOff), (true, .adapterBlocked)])
  func `an adapter that is switched off ends the link`(isBlocked: Bool, state: FollowState) {
    var world = Self.followed()
    let off = world.now
    world.daemon.power(0, false, isBlocked: isBlocked)
    world.run(.seconds(1))
    #expect(world.state() == state)
    #expect(world.story(since: off).first?.hasPrefix("gap: ") == true)
    #expect(world.story(since: off).last == "disconnected")
    world.daemon.power(0, true)
    #expect(world.run(atMost: .seconds(30)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `a strap out of range is a link loss, and returns without intervention`() {
    var world = Self.followed()
    let gone = world.now
    world.daemon.update(1) { $0.isAway = true }
    world.run(.seconds(120))
    #expect([.away, .connecting].contains(world.state()))
    let story = world.story(since: gone)
    #expect(Array(story.suffix(2)) == ["gap: link-loss", "disconnected"])
    world.daemon.update(1) { $0.isAway = false }
    #expect(world.run(atMost: .seconds(90)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test
  func `a mute strap gets a gap, a new subscription and a new link, then its attributes are read again`() {
    var world = Self.followed()
    let muted = world.now
    world.daemon.update(1) { $0.isMute = true }
    world.run(.seconds(8))
    #expect(world.state() == .silent)
    #expect(world.story(since: muted) == ["gap: silence"])
    #expect(world.calls.last?.call.message.member == "StartNotify")
    world.run(.seconds(20))
    #expect(world.story(since: muted).prefix(3) == ["gap: silence", "gap: silence", "disconnected"])
    world.run(.seconds(120))
    #expect(world.wasIn(.staleCache, since: muted))
    world.daemon.update(1) { $0.isMute = false }
    #expect(world.run(atMost: .seconds(600)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `a subscription that outlasted a link counts as followed when a value arrives, not before`() {
    var world = Self.followed()
    world.daemon.update(1) { $0.isMute = true }
    let lost = world.now
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(30)) { $0.wasIn(.subscribing, since: lost) } != nil)
    world.run(.seconds(3))
    #expect(!world.wasIn(.following, since: lost))
    world.daemon.update(1) { $0.isMute = false }
    #expect(world.run(atMost: .seconds(2)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `a strap that is mute for a moment is only silent, and continues`() {
    var world = Self.followed()
    let muted = world.now
    world.daemon.update(1) { $0.isMute = true }
    world.run(.seconds(10))
    world.daemon.update(1) { $0.isMute = false }
    world.run(.seconds(5))
    #expect(world.state() == .following)
    #expect(world.story(since: muted) == ["gap: silence"])
    Self.check(world)
  }

  @Test func `a frozen strap is reported, its link is closed, and it recovers`() {
    var world = Self.followed()
    let frozen = world.now
    world.daemon.update(1) { $0.isFrozen = true }
    world.run(.seconds(30))
    #expect(world.wasIn(.silent, since: frozen) && world.wasIn(.frozen, since: frozen))
    #expect(world.story(since: frozen).contains("disconnected"))
    world.daemon.update(1) { $0.isFrozen = false }
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `moved attributes are read again if there is no bond to lose`() {
    var world = Self.followed()
    let moved = world.now
    world.daemon.update(1) { $0.shift = 100 }
    world.daemon.dropLinks(of: 1)
    #expect(
      world.run(atMost: .seconds(300)) { $0.state() == .following && $0.now > moved + .seconds(60) } != nil)
    #expect(world.wasIn(.staleCache, since: moved))
    #expect(world.calls.contains { $0.call.message.member == "RemoveDevice" })
    Self.check(world)
  }

  @Test func `attributes that move again before the first measurement are found too`() {
    var world = Self.followed()
    world.daemon.update(1) {
      $0.shift = 100
      $0.isMute = true
    }
    world.daemon.subscriptions.removeAll()
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(300)) { $0.wasIn(.staleCache) } != nil)
    world.run(.seconds(30))
    world.daemon.update(1) {
      $0.shift = 200
      $0.isMute = false
    }
    world.daemon.subscriptions.removeAll()
    world.daemon.dropLinks(of: 1)
    let moved = world.now
    #expect(
      world.run(atMost: .seconds(900)) { $0.state() == .following && $0.wasIn(.staleCache, since: moved) }
        != nil)
    world.run(.seconds(60))
    #expect(world.state() == .following)
    Self.check(world)
  }

  @Test func `moved attributes of a bonded strap are reported to the user`() {
    var world = Self.followed(isBonded: true)
    world.daemon.update(1) { $0.shift = 100 }
    world.daemon.subscriptions.removeAll()
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(100))
    #expect(world.state() == .staleCache)
    #expect(!world.calls.contains { $0.call.message.member == "RemoveDevice" })
    Self.check(world)
  }

  @Test func `a bonded strap with partly known attributes first gets a new link`() {
    var world = Self.followed(isBonded: true)
    world.daemon.update(1) { $0.lacksMeasurement = true }
    world.daemon.subscriptions.removeAll()
    world.daemon.dropLinks(of: 1)
    let lost = world.now
    #expect(world.run(atMost: .seconds(60)) { $0.calls.last?.call.message.member == "Disconnect" } != nil)
    world.daemon.update(1) { $0.lacksMeasurement = false }
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
    #expect(!world.wasIn(.staleCache, since: lost))
    Self.check(world)
  }

  @Test func `a measurement that is added after the services were resolved is subscribed to at once`() {
    var world = Self.begun(isBonded: true) { $0.update(1) { $0.lacksMeasurement = true } }
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .staleCache } != nil)
    world.daemon.update(1) { $0.lacksMeasurement = false }
    let device = FakeStrap(1).path(by: FakeDaemon.adapter(0))
    for service in FakeStrap(1).services(below: device) where service.path.lastComponent == "char11" {
      world.daemon.add(service.path, service.interfaces)
    }
    #expect(world.run(atMost: .seconds(10)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `characteristics that are added three seconds after the services are no stale cache`() {
    var world = Self.begun(isBonded: true) { $0.update(1) { $0.lacksMeasurement = true } }
    // The gateway closes the first link, whose services lack the measurement, to make a new one.
    #expect(
      world.run(atMost: .seconds(60)) { $0.calls.contains { $0.call.message.member == "Disconnect" } } != nil)
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .subscribing } != nil)
    world.run(.seconds(3))
    world.daemon.update(1) { $0.lacksMeasurement = false }
    let device = FakeStrap(1).path(by: FakeDaemon.adapter(0))
    for service in FakeStrap(1).services(below: device) where service.path.lastComponent == "char11" {
      world.daemon.add(service.path, service.interfaces)
    }
    #expect(world.run(atMost: .seconds(10)) { $0.state() == .following } != nil)
    #expect(!world.wasIn(.staleCache))
    Self.check(world)
  }

  @Test func `a device that is not a monitor is reported, and checked again`() {
    var world = Self.begun { $0.update(1) { $0.lacksMeasurement = true } }
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .unusable } != nil)
    world.run(.seconds(86_400))
    #expect(world.state() == .unusable)
    // The device is removed from bluetoothd at increasing intervals.
    let removals = world.calls.filter { $0.call.message.member == "RemoveDevice" }
    #expect((2...14).contains(removals.count), "\(removals.count) in a day")
    Self.check(world)
  }

  @Test func `a strap that requires a bond is reported, and its link is kept`() {
    var world = Self.begun { $0.update(1) { $0.wantsPairing = true } }
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .pairingNeeded } != nil)
    let start = world.now
    world.run(.seconds(300))
    #expect(world.state() == .pairingNeeded)
    #expect(world.story(since: start).filter { $0 == "disconnected" } == [])
    world.daemon.update(1) { $0.wantsPairing = false }
    #expect(world.run(atMost: .seconds(130)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `an attempt of another client is waited for, and cleared if it leads to nothing`() {
    var world = Self.begun {
      $0.update(1) { $0.isAway = true }
      $0.foreignAttemptUntil = $0.now + .seconds(40)
    }
    world.run(.seconds(30))
    #expect(world.calls.filter { $0.call.message.member == "Connect" }.count == 1)
    world.daemon.update(1) { $0.isAway = false }
    #expect(world.run(atMost: .seconds(150)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `a Disconnect without effect is not waited for forever`() {
    var world = Self.followed()
    world.daemon.ignoresDisconnect = true
    world.daemon.update(1) { $0.isMute = true }
    world.run(.seconds(120))
    world.daemon.ignoresDisconnect = false
    world.daemon.update(1) { $0.isMute = false }
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `services that are no longer resolved cause no busy loop`() {
    var world = Self.followed()
    let device = FakeStrap(1).path(by: FakeDaemon.adapter(0))
    world.daemon.set(device, BlueZInterface.device, ["ServicesResolved": .boolean(false)])
    world.daemon.update(1) { $0.isMute = true }
    world.run(.seconds(60))
    world.daemon.update(1) { $0.isMute = false }
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `a link with values is kept, however long its services are being resolved`() {
    var world = Self.followed()
    let device = FakeStrap(1).path(by: FakeDaemon.adapter(0))
    world.daemon.set(device, BlueZInterface.device, ["ServicesResolved": .boolean(false)])
    let unresolved = world.now
    world.run(.seconds(300))
    #expect(world.story(since: unresolved) == [])
    #expect(world.notified() == Array(0..<Int(world.daemon.straps[0].sent)))
    // If no more values arrive, the link is closed after the usual timeout.
    world.daemon.update(1) { $0.isMute = true }
    #expect(world.run(atMost: .seconds(40)) { $0.story(since: unresolved).contains("disconnected") } != nil)
    Self.check(world)
  }

  @Test
  func `lost signals, a clock set forward and a sleep give a gap each, and a clock set back is reported`() {
    var world = Self.followed()
    let lost = world.now
    world.give(.tree(.signalsLost))
    world.setClock(by: 100)
    world.setClock(by: -100)
    // This clock step is so small that the receipt clock follows it slowly, without a gap.
    world.setClock(by: 1)
    world.give(.slept)
    #expect(
      world.story(since: lost) == [
        "gap: overflow", "interrupted", "gap: clock-step", "interrupted", "clock set", "clock set",
        "gap: clock-step", "interrupted", "gap: suspended", "interrupted",
      ])
    Self.check(world)
  }

  @Test func `the energy total is reset once`() {
    var world = FollowingWorld()
    world.daemon.know(1)
    world.follow([1], resettingEnergy: true)
    world.openBus()
    world.run(.seconds(20))
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(20))
    #expect(world.calls.filter { $0.call.message.member == "WriteValue" }.count == 1)
    Self.check(world)
  }

  @Test func `a monitor that is no longer followed is released, and may be followed again`() {
    var world = Self.followed()
    let dropped = world.now
    world.follow([])
    world.run(.seconds(5))
    #expect(world.story(since: dropped) == ["gap: gateway-stopped", "disconnected"])
    #expect(world.daemon.subscriptions.isEmpty)
    #expect(!world.daemon.links.isEmpty)
    world.follow([1])
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `a pending subscription of a released monitor is stopped`() {
    var world = Self.begun()
    let isAsked = world.run(atMost: .seconds(20)) {
      $0.calls.contains { $0.call.message.member == "StartNotify" }
    }
    #expect(isAsked != nil)
    world.follow([])
    world.run(.seconds(2))
    #expect(world.daemon.subscriptions.isEmpty)
    world.follow([1])
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    Self.check(world)
  }

  @Test func `an unanswered subscription of a released monitor is stopped`() {
    var world = Self.begun { $0.update(1) { $0.ignoresSubscriptions = true } }
    #expect(world.run(atMost: .seconds(20)) { !$0.daemon.subscriptions.isEmpty } != nil)
    world.follow([])
    world.run(.seconds(60))
    #expect(world.daemon.subscriptions.isEmpty)
  }

  @Test func `a monitor with values but no reported link is released like any other`() {
    var world = Self.followed()
    world.daemon.update(1) { $0.isAway = true }
    #expect(world.run(atMost: .seconds(10)) { $0.state() == .away } != nil)
    let gone = world.now
    let path = FakeStrap(1).path(by: FakeDaemon.adapter(0)).child("service10").child("char11")
    world.give(
      .tree(
        .propertiesChanged(
          path, interface: BlueZInterface.gattCharacteristic,
          changed: ["Value": .bytes([0x10, 0x7F, 0xFF, 0x03])], invalidated: [])))
    #expect(world.story(since: gone).last == "connected")
    world.follow([])
    #expect(world.story(since: gone).suffix(2) == ["gap: gateway-stopped", "disconnected"])
  }

  @Test func `copies for a second subscriber are dropped`() {
    var world = Self.begun { $0.copies = 2 }
    world.run(.seconds(60))
    world.give(.stop)
    #expect(world.notified().count > 30)
    #expect(world.notified() == Array(0..<world.notified().count))
    #expect(world.faults == [])
  }

  @Test func `a value that is held when the link ends is emitted before the gap`() {
    var world = Self.begun { $0.copies = 2 }
    #expect(world.run(atMost: .seconds(20)) { !$0.notified().isEmpty } != nil)
    world.run(.milliseconds(30))
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(1)) { $0.story().contains("disconnected") } != nil)
    #expect(world.notified() == [0, 0])
    #expect(world.faults == [])
  }

  @Test func `a value that is held when the clock is set back is emitted in the old setting`() {
    var world = Self.begun { $0.copies = 2 }
    #expect(world.run(atMost: .seconds(20)) { !$0.notified().isEmpty } != nil)
    world.run(.milliseconds(30))
    world.setClock(by: -100)
    let order = world.events.compactMap { item -> String? in
      switch item.event {
      case .notified: "value"
      case .clockSet: "clock"
      default: nil
      }
    }
    #expect(order == ["value", "value", "clock"])
  }

  @Test func `a discovery whose start was not answered is stopped too`() {
    var world = FollowingWorld()
    world.daemon.losesDiscoveryAnswers = true
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
    #expect(world.daemon.discoveries.isEmpty)
    Self.check(world)
  }

  @Test func `stop ends subscriptions and discoveries`() {
    var world = FollowingWorld(straps: 2)
    world.daemon.know(1)
    world.daemon.update(2) { $0.isAway = true }
    world.follow([1, 2])
    world.openBus()
    #expect(
      world.run(atMost: .seconds(60)) { !$0.daemon.discoveries.isEmpty && $0.state(1) == .following } != nil)
    world.run(.milliseconds(100))
    world.give(.stop)
    #expect(world.daemon.subscriptions.isEmpty)
    #expect(world.daemon.discoveries.isEmpty)
    #expect(world.machine.deadline == nil)
  }
}
