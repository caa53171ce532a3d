import DBus
import Testing

@testable import BlueZ

/// Tests following monitors with several adapters, and the cost of many absent monitors.
@Suite struct FollowingAdaptersTests {
  @Test func `when an adapter is removed, the other one takes over`() {
    var world = FollowingWorld(adapters: 2)
    world.daemon.know(1, by: 0)
    world.daemon.know(1, by: 1)
    world.follow([1], preferring: 0)
    world.openBus()
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.adapter == FakeDaemon.adapterAddress(0))
    world.run(.seconds(5))
    let taken = world.now
    world.daemon.removeAdapter(0, reportingChildren: false)
    #expect(
      world.run(atMost: .seconds(30)) { $0.state() == .following && $0.now > taken + .seconds(1) } != nil)
    #expect(world.states.last?.status.adapter == FakeDaemon.adapterAddress(1))
    #expect(world.story(since: taken).prefix(2) == ["gap: adapter-absent", "disconnected"])
    FollowingTests.check(world)
  }

  @Test func `an unanswered attempt by an adapter that is removed is not waited for`() {
    var world = FollowingWorld(adapters: 2)
    world.daemon.update(1) { $0.isAway = true }
    world.daemon.know(1, by: 0)
    world.daemon.know(1, by: 1)
    world.follow([1], preferring: 0)
    world.openBus()
    let attempt = world.run(atMost: .seconds(20)) { world in
      world.calls.contains { $0.call.message.member == "Connect" }
    }
    #expect(attempt != nil)
    // The adapter is removed during its connection attempt, and bluetoothd does not report the end of the
    // attempt.
    world.daemon.connecting.removeAll()
    world.daemon.removeAdapter(0, reportingChildren: false)
    let begin = world.calls.count
    let other = world.run(atMost: .seconds(5)) { world in
      world.calls[begin...].contains { $0.call.message.member == "Connect" }
    }
    #expect(other != nil)
    #expect(
      world.calls.last { $0.call.message.member == "Connect" }?.call.message.path.parent
        == FakeDaemon.adapter(1))
  }

  /// Returns a world with a strap that only the less preferred adapter can reach. The kernel does not connect
  /// by itself.
  private static func outOfReach(of adapter: Int) -> FollowingWorld {
    var world = FollowingWorld(adapters: 2)
    world.daemon.refusesRegistration = true
    world.daemon.update(1) { $0.outOfReach = [FakeDaemon.adapter(adapter)] }
    world.daemon.know(1, by: 0)
    world.daemon.know(1, by: 1)
    world.follow([1], preferring: adapter)
    world.openBus()
    return world
  }

  @Test(arguments: [0, 1])
  func `a strap that only the other adapter reaches is followed by that one`(adapter: Int) {
    var world = Self.outOfReach(of: adapter)
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.adapter == FakeDaemon.adapterAddress(1 - adapter))
    FollowingTests.check(world)
  }

  @Test func `an endless attempt of one adapter does not keep the other one from its turn`() {
    var world = Self.outOfReach(of: 0)
    let attempt = world.run(atMost: .seconds(20)) { !$0.daemon.connecting.isEmpty }
    #expect(attempt != nil)
    // Simulate a controller that hangs: bluetoothd never reports the end of the connection attempt.
    world.daemon.connecting.removeAll()
    #expect(world.run(atMost: .seconds(40)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.adapter == FakeDaemon.adapterAddress(1))
    FollowingTests.check(world)
  }

  @Test func `adapters take turns at a strap that none of them reaches`() {
    var world = Self.outOfReach(of: 0)
    world.daemon.update(1) { $0.isAway = true }
    world.run(.seconds(600))
    let adapters = world.calls.filter { $0.call.message.member == "Connect" }
      .compactMap(\.call.message.path.parent)
    #expect(adapters.count > 6)
    #expect(zip(adapters, adapters.dropFirst()).allSatisfy { $0 != $1 })
    FollowingTests.check(world)
  }

  @Test func `switching an adapter off is the cause of the gap, even if there is another adapter`() {
    var world = FollowingWorld(adapters: 2)
    world.daemon.know(1, by: 0)
    world.follow([1], preferring: 0)
    world.openBus()
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    let off = world.now
    world.daemon.power(0, false)
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following && $0.now > off + .seconds(1) } != nil)
    #expect(world.states.last?.status.adapter == FakeDaemon.adapterAddress(1))
    FollowingTests.check(world)
  }

  @Test(arguments: [0, 1])
  func `a bonded monitor is connected to by the adapter that has its bond`(adapter: Int) {
    var world = FollowingWorld(adapters: 2)
    world.daemon.know(1, by: adapter, isBonded: true)
    world.daemon.know(1, by: 1 - adapter)
    world.follow([1], preferring: 1 - adapter)
    world.openBus()
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.adapter == FakeDaemon.adapterAddress(adapter))
    let first = world.calls.first { $0.call.message.member == "Connect" }
    #expect(first?.call.message.path.parent == FakeDaemon.adapter(adapter))
    FollowingTests.check(world)
  }

  @Test func `only the requested adapter is used`() {
    var world = FollowingWorld(adapters: 2, onlyAdapter: FakeDaemon.adapterAddress(1))
    world.daemon.know(1, by: 0)
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.adapter == FakeDaemon.adapterAddress(1))
    world.daemon.removeAdapter(1, reportingChildren: true)
    world.run(.seconds(60))
    #expect(world.state() == .adapterAbsent)
    FollowingTests.check(world)
  }

  @Test func `a second link by another adapter does not end the followed one`() {
    var world = FollowingWorld(adapters: 2)
    world.daemon.know(1, by: 0)
    world.daemon.know(1, by: 1)
    world.follow([1], preferring: 1)
    world.openBus()
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    world.run(.seconds(5))
    let began = world.now
    // Connect the strap to the second adapter as well. The strap accepts two links.
    world.daemon.set(
      FakeStrap(1).path(by: FakeDaemon.adapter(0)), BlueZInterface.device, ["Connected": .boolean(true)])
    world.run(.seconds(10))
    #expect(world.story(since: began) == [])
    FollowingTests.check(world)
  }

  @Test func `an absent strap that bluetoothd knows costs few calls`() {
    var world = FollowingTests.begun { $0.update(1) { $0.isAway = true } }
    world.run(.seconds(3600))
    let begin = world.calls.count
    world.run(.seconds(3600))
    #expect(world.calls.count - begin <= 200)
    FollowingTests.check(world)
  }

  @Test func `an absent strap that bluetoothd does not know costs fewer`() {
    var world = FollowingWorld()
    world.daemon.update(1) { $0.isAway = true }
    world.follow([1])
    world.openBus()
    world.run(.seconds(3600))
    let begin = world.calls.count
    world.run(.seconds(3600))
    #expect(world.calls.count - begin <= 75)
    FollowingTests.check(world)
  }

  @Test func `many absent straps do not keep another one from being found`() {
    var world = FollowingWorld(straps: 9)
    for number in 1...8 {
      world.daemon.update(number) { $0.isAway = true }
      world.daemon.know(number)
    }
    world.daemon.update(9) { $0.isAway = true }
    world.follow(Array(1...9))
    world.openBus()
    world.run(.seconds(1800))
    world.daemon.update(9) { $0.isAway = false }
    let took = world.run(atMost: .seconds(900)) { $0.state(9) == .following }
    #expect(took != nil, "not found within 15 minutes")
    FollowingTests.check(world)
  }

  @Test func `many absent straps do not keep a returning one from being followed`() {
    var world = FollowingWorld(straps: 9)
    for number in 1...9 {
      world.daemon.update(number) { $0.isAway = true }
      world.daemon.know(number)
    }
    world.follow(Array(1...9))
    world.openBus()
    world.run(.seconds(1800))
    world.daemon.update(9) { $0.isAway = false }
    #expect(world.run(atMost: .seconds(300)) { $0.state(9) == .following } != nil)
    FollowingTests.check(world)
  }
}
