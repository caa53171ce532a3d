import Bluetooth
import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests a bluetoothd that is stopped, as by SIGSTOP, and continues.
@Suite struct StoppedDaemonTests {
  /// An emitted measurement.
  private struct Measured {
    let time: ReceiptTime
    let isDelayed: Bool
    /// How much later the estimated time is than the time of sending, in seconds.
    let late: Double
  }

  /// Returns a world in which a strap was followed for half a minute, and bluetoothd was then stopped for
  /// `duration`.
  private static func stopped(for duration: Duration) -> FollowingWorld {
    var world = regular()
    world.daemon.isStopped = true
    world.run(duration)
    return world
  }

  /// Returns a world in which a strap that measures once a second was followed for half a minute.
  private static func regular() -> FollowingWorld {
    var world = FollowingTests.followed()
    world.daemon.update(1) { $0.pace = 990...1010 }
    world.run(.seconds(30))
    return world
  }

  private static func measured(_ world: FollowingWorld) -> [Measured] {
    zip(world.notified(), notifications(world)).map { number, notification in
      let sent = world.daemon.straps[0].sentAt[number]
      return Measured(
        time: notification.receiptTime, isDelayed: notification.marks.contains(.delayed),
        late: Double(notification.receiptTime.microsecondsSince1970 - Int64(sent.nanoseconds / 1000)) / 1e6)
    }
  }

  private static func notifications(_ world: FollowingWorld) -> [ValueNotification] {
    world.events.compactMap { if case .notified(let notification) = $0.event { notification } else { nil } }
  }

  /// Returns whether each estimated time is less than a period from the time of sending, and times never go
  /// back.
  private static func areTrue(_ measured: [Measured]) -> Bool {
    measured.allSatisfy { abs($0.late) < 1 }
      && zip(measured, measured.dropFirst()).allSatisfy { $0.time <= $1.time }
  }

  @Test func `it is reported as unresponsive, and the monitor is not blamed`() {
    var world = Self.stopped(for: .seconds(60))
    let begin = world.now
    #expect(world.state() == .daemonUnresponsive)
    #expect(!world.wasIn(.silent) && !world.wasIn(.frozen))
    world.daemon.goOn()
    #expect(world.run(atMost: .seconds(5)) { $0.state() == .following } != nil)
    world.run(.seconds(60))
    #expect(!world.story(since: begin).contains("disconnected"))
    #expect(world.notified() == Array(0..<Int(world.daemon.straps[0].sent)))
    FollowingTests.check(world)
  }

  @Test func `no call that ends a link is queued for it`() {
    for seed in 0..<40 as Range<UInt64> {
      var world = FollowingWorld(straps: 2, seed: seed)
      world.daemon.know(1)
      world.daemon.know(2, isBonded: true)
      world.follow([1, 2])
      world.openBus()
      world.run(.milliseconds(Int(seed) * 100))
      world.daemon.isStopped = true
      world.run(.seconds(90))
      #expect(world.state() == .daemonUnresponsive, "seed \(seed)")
      // A strap whose call was not answered must not be reported as frozen, and its link must not be ended.
      #expect(!world.wasIn(.frozen), "seed \(seed)")
      for item in world.daemon.waitingCalls {
        switch item.call {
        case .disconnect, .removeDevice, .stopNotify: Issue.record("seed \(seed): \(item.call) waits")
        default: break
        }
      }
      world.daemon.goOn()
      #expect(
        world.run(atMost: .seconds(120)) { $0.state(1) == .following && $0.state(2) == .following } != nil)
    }
  }

  @Test func `queued values get times at the monitor's pace, and a mark`() {
    var world = Self.stopped(for: .seconds(58))
    world.daemon.goOn()
    world.run(.seconds(30))
    let measured = Self.measured(world)
    #expect(measured.count { $0.isDelayed } > 50)
    #expect(Self.areTrue(measured), "\(measured.map(\.late))")
    #expect(measured.suffix(5).allSatisfy { !$0.isDelayed })
    #expect(!world.story().contains { $0.hasPrefix("gap") })
    FollowingTests.check(world)
  }

  @Test func `a short stop is detected by as many values at once as were due`() {
    for stop in stride(from: 2300, through: 5800, by: 250) {
      var world = Self.regular()
      world.daemon.isStopped = true
      world.run(.milliseconds(stop))
      let waiting = world.daemon.waitingValues.count
      #expect(!world.wasIn(.daemonUnresponsive), "\(stop) ms")
      world.daemon.goOn()
      world.run(.seconds(20))
      let measured = Self.measured(world)
      #expect(Self.areTrue(measured), "\(stop) ms: \(measured.map(\.late))")
      // The last queued value may count as in time, because it may have been sent just before bluetoothd
      // continued.
      let delayed = measured.count { $0.isDelayed }
      #expect((max(1, waiting - 1)...waiting).contains(delayed), "\(stop) ms: \(delayed) of \(waiting)")
      #expect(!world.story().contains("gap: overflow"))
      FollowingTests.check(world)
    }
  }

  @Test func `if fewer than were due arrive, they are marked, and a gap follows them`() {
    var world = Self.regular()
    world.daemon.isStopped = true
    world.run(.milliseconds(4500))
    world.daemon.waitingValues.removeFirst(2)
    let waiting = world.daemon.waitingValues.count
    #expect(waiting > 1)
    world.daemon.goOn()
    world.run(.seconds(20))
    let measured = Self.measured(world)
    #expect((1...waiting).contains(measured.count { $0.isDelayed }))
    #expect(zip(measured, measured.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(world.story().count { $0 == "gap: overflow" } == 1, "\(world.story())")
    FollowingTests.check(world)
  }

  @Test func `a subscription that is repeated after values arrived leaves a gap where it was missing`() {
    var world = FollowingTests.followed()
    world.daemon.update(1) { $0.isMute = true }
    let muted = world.now
    // Wait until the gateway pings bluetoothd, before it reports the monitor as silent. The reply has not
    // arrived yet.
    #expect(
      world.run(atMost: .seconds(8)) { $0.calls.last.map { $0.call == .ping && $0.time > muted } == true }
        != nil)
    world.daemon.isStopped = true
    world.run(.seconds(1))
    #expect(world.daemon.waitingCalls.contains { $0.call.message.member == "StopNotify" })
    let path = FakeStrap(1).path(by: FakeDaemon.adapter(0)).child("service10").child("char11")
    world.give(
      .tree(
        .propertiesChanged(
          path, interface: BlueZInterface.gattCharacteristic,
          changed: ["Value": .bytes([0x10, 0x7F, 0xFF, 0x03])], invalidated: [])))
    #expect(world.state() == .following)
    let measured = world.now
    world.daemon.goOn()
    world.run(.seconds(2))
    #expect(world.story(since: measured).contains("gap: silence"))
  }

  @Test func `a single late value is emitted with its time of receipt`() {
    var world = Self.regular()
    world.daemon.update(1) { $0.isMute = true }
    world.run(.milliseconds(3500))
    world.daemon.update(1) { $0.isMute = false }
    world.run(.seconds(20))
    let measured = Self.measured(world)
    #expect(measured.allSatisfy { !$0.isDelayed && abs($0.late) < 0.1 }, "\(measured.map(\.late))")
    FollowingTests.check(world)
  }

  @Test func `values that are sent after it continued were not queued`() {
    var world = Self.regular()
    world.daemon.update(1) { $0.isMute = true }
    world.daemon.isStopped = true
    world.run(.seconds(8))
    world.daemon.goOn()
    world.run(.seconds(3))
    world.daemon.update(1) { $0.isMute = false }
    world.run(.seconds(20))
    let measured = Self.measured(world)
    #expect(measured.allSatisfy { !$0.isDelayed && abs($0.late) < 0.1 }, "\(measured.map(\.late))")
    #expect(!world.story().contains("gap: overflow"))
    FollowingTests.check(world)
  }

  @Test(arguments: [true, false])
  func `times before a change of the clock or a sleep are not used for estimates`(isSet: Bool) {
    var world = Self.stopped(for: .seconds(58))
    if isSet { world.setClock(by: -3600) } else { world.give(.slept) }
    let resumed = ReceiptTime(microsecondsSince1970: Int64(world.now.nanoseconds / 1000))
    world.daemon.goOn()
    world.run(.seconds(30))
    // Queued values are marked as delayed, and have their time of receipt.
    let delayed = Self.measured(world).filter(\.isDelayed)
    #expect(delayed.count > 50)
    #expect(delayed.allSatisfy { $0.time >= resumed })
    FollowingTests.check(world)
  }

  @Test(arguments: [true, false])
  func `a subscription that was pending during the stop is repeated, and the link stays`(isBonded: Bool)
    throws
  {
    var world = FollowingTests.begun(isBonded: isBonded)
    let device = FakeStrap(1).path(by: FakeDaemon.adapter(0))
    let isResolved = world.run(atMost: .seconds(10)) {
      $0.daemon.flag(device, BlueZInterface.device, "ServicesResolved")
    }
    try #require(isResolved != nil)
    world.daemon.isStopped = true
    world.run(.seconds(60))
    let waits = world.daemon.waitingCalls.contains {
      if case .startNotify = $0.call { true } else { false }
    }
    try #require(waits)
    #expect(world.state() == .daemonUnresponsive)
    let link = world.daemon.links
    world.daemon.goOn()
    #expect(world.run(atMost: .seconds(30)) { $0.state() == .following } != nil)
    world.run(.seconds(30))
    #expect(!world.wasIn(.frozen))
    #expect(!link.isEmpty && world.daemon.links == link)
    FollowingTests.check(world)
  }

  @Test func `the state that was reported before is reported again, with its detail`() throws {
    var world = FollowingWorld(straps: 2)
    world.daemon.update(1) { $0.wantsPairing = true }
    world.daemon.know(1)
    world.daemon.know(2)
    world.follow([1, 2])
    world.openBus()
    #expect(
      world.run(atMost: .seconds(60)) { $0.state(1) == .pairingNeeded && $0.state(2) == .following } != nil)
    let reported = world.states.last { $0.status.monitor == FakeStrap.address(1) }?.status
    try #require(reported?.detail != nil)
    world.daemon.isStopped = true
    #expect(world.run(atMost: .seconds(60)) { $0.state(1) == .daemonUnresponsive } != nil)
    world.daemon.goOn()
    #expect(world.run(atMost: .seconds(5)) { $0.state(1) != .daemonUnresponsive } != nil)
    let again = world.states.last { $0.status.monitor == FakeStrap.address(1) }?.status
    #expect(again == reported)
  }

  @Test func `values that the kernel had no room for are a gap behind the queued ones`() {
    var world = Self.stopped(for: .seconds(60))
    // Let bluetoothd continue between two values. A value sent at that moment could count as before or after
    // the loss.
    let before = world.daemon.waitingValues.count
    #expect(world.run(atMost: .seconds(2)) { $0.daemon.waitingValues.count > before } != nil)
    world.run(.milliseconds(100))
    let kept = 20
    world.daemon.waitingValues.removeLast(world.daemon.waitingValues.count - kept)
    world.daemon.goOn()
    world.run(.seconds(30))
    let measured = Self.measured(world)
    #expect(measured.count { $0.isDelayed } == kept)
    #expect(Self.areTrue(measured), "\(measured.map(\.late))")
    #expect(world.story().filter { $0.hasPrefix("gap") } == ["gap: overflow"])
  }

  // MARK: - Full queues

  /// Returns a world with a strap that measures twice a second, and a kernel whose queue holds 93 values.
  private static func fast() -> FollowingWorld {
    var world = FollowingTests.followed()
    world.daemon.update(1) { $0.pace = 495...505 }
    world.daemon.queueDepth = 93
    world.daemon.readingTime = 8
    world.run(.seconds(30))
    return world
  }

  /// Returns the numbers of the values before and after each gap, and of those before and after each loss of
  /// values.
  private static func breaks(_ world: FollowingWorld) -> (gaps: [[Int]], losses: [[Int]]) {
    var gaps: [[Int]] = []
    var losses: [[Int]] = []
    var last: Int?
    var isGap = false
    for event in world.events.map(\.event) {
      switch event {
      case .gapBegan: isGap = true
      case .notified(let notification):
        let bytes = notification.value.bytes
        let number = Int(bytes[1]) << 8 | Int(bytes[2])
        if let last, isGap { gaps.append([last, number]) }
        if let last, number != last + 1 { losses.append([last, number]) }
        (last, isGap) = (number, false)
      default: break
      }
    }
    return (gaps, losses)
  }

  @Test(arguments: Array(stride(from: 60_000, to: 61_000, by: 60)), [0, 260, 600])
  func `a gap covers exactly the values that the kernel had no room for`(milliseconds: Int, pause: Int) {
    var world = Self.fast()
    world.daemon.readingPause = (40, pause)
    world.daemon.isStopped = true
    world.run(.milliseconds(milliseconds))
    world.daemon.goOn()
    world.run(.seconds(30))
    let measured = Self.measured(world)
    #expect(measured.allSatisfy { abs($0.late) < 0.3 }, "\(measured.map(\.late))")
    #expect(zip(measured, measured.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect((93...98).contains(measured.count { $0.isDelayed }))
    let (gaps, losses) = Self.breaks(world)
    #expect(gaps == losses && gaps.count == 1, "gaps \(gaps), losses \(losses)")
    #expect(world.story().filter { $0.hasPrefix("gap") } == ["gap: overflow"])
    FollowingTests.check(world)
  }

  @Test(arguments: Array(stride(from: 45_500, to: 55_000, by: 250)))
  func `a few values that the kernel had no room for are a gap, and without any there is none`(
    milliseconds: Int
  ) {
    var world = Self.fast()
    world.daemon.isStopped = true
    world.run(.milliseconds(milliseconds))
    world.daemon.goOn()
    world.run(.seconds(30))
    let (gaps, losses) = Self.breaks(world)
    let lost = losses.map { $0[1] - $0[0] - 1 }.reduce(0, +)
    // A single lost value may not be reported, because it is within the jitter.
    if lost != 1 { #expect(gaps == losses, "gaps \(gaps), losses \(losses)") }
    #expect(gaps.allSatisfy(losses.contains))
    FollowingTests.check(world)
  }

  // MARK: - Paused machine

  @Test(arguments: 0..<10, [0, 260, 600])
  func `values queued while the clocks were paused are marked, and missing ones are a gap`(
    phase: Int, pause: Int
  ) {
    var world = Self.fast()
    world.daemon.readingPause = (40, pause)
    world.run(.milliseconds(phase * 50))
    let resumed = world.now
    world.daemon.pauseMachine(while: 120)
    world.run(.seconds(30))
    // Skip cases in which a value was sent while the queue was read. Such a value may count as before or
    // after the loss.
    let next = world.daemon.straps[0].sentAt.first { $0 > resumed }
    guard let next, (Duration.milliseconds(80)...(.milliseconds(420))).contains(next - resumed) else {
      return
    }
    let delayed = Self.measured(world).count { $0.isDelayed }
    #expect((92...97).contains(delayed), "\(delayed)")
    let times = Self.measured(world).map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    let (gaps, losses) = Self.breaks(world)
    #expect(gaps == losses && gaps.count == 1, "gaps \(gaps), losses \(losses)")
    #expect(world.story().filter { $0.hasPrefix("gap") } == ["gap: overflow"])
    FollowingTests.check(world)
  }

  @Test(arguments: [10, 20, 40, 60, 80]) func `if the kernel had room for all, there is no gap`(count: Int) {
    var world = Self.fast()
    world.daemon.pauseMachine(while: count)
    world.run(.seconds(30))
    #expect((count - 1...count + 2).contains(Self.measured(world).count { $0.isDelayed }))
    #expect(Self.breaks(world).gaps == [] && Self.breaks(world).losses == [])
    // Pause once more, after values have arrived regularly again for half a minute.
    world.daemon.pauseMachine(while: count)
    world.run(.seconds(30))
    #expect((2 * count - 2...2 * count + 4).contains(Self.measured(world).count { $0.isDelayed }))
    FollowingTests.check(world)
  }

  @Test(arguments: [2, 4, 200, 400]) func `a few values at once, and a flood, were not queued`(count: Int) {
    var world = Self.fast()
    world.daemon.queueDepth = .max
    world.daemon.pauseMachine(while: count)
    world.run(.seconds(30))
    #expect(Self.measured(world).allSatisfy { !$0.isDelayed })
    #expect(Self.breaks(world).gaps == [])
    FollowingTests.check(world)
  }

  @Test func `if it is killed instead, the gap has that cause`() {
    var world = Self.stopped(for: .seconds(60))
    world.daemon.stopDaemon()
    world.run(.seconds(1))
    #expect(world.state() == .daemonAbsent)
    #expect(world.story().suffix(2) == ["gap: bluetoothd-absent", "disconnected"])
    world.daemon.startDaemon()
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
  }
}
