import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// Tests a strap whose notifications another program has acquired. StopNotify and RemoveDevice would end that
/// program's notifications, and may crash bluetoothd before 5.84. ``FollowingWorld`` reports each such call
/// as an error.
@Suite struct AcquiredNotifyTests {
  private static let path = FakeStrap(1).measurement(by: FakeDaemon.adapter(0))
  /// The path of the same strap's body sensor location.
  private static let other = path.parent?.child("char12") ?? path

  @Test func `a followed strap that another program acquires is reported, and followed when it is released`()
  {
    var world = FollowingTests.followed()
    world.daemon.acquire(Self.path)
    #expect(world.run(atMost: .seconds(30)) { $0.state() == .takenByAnother } != nil)
    #expect(world.story().last == "gap: silence")
    world.run(.seconds(300))
    #expect(world.state() == .takenByAnother)
    world.daemon.release(Self.path)
    // The strap is followed at once, and not only after the next check two minutes later.
    #expect(world.run(atMost: .seconds(10)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `an acquisition that belongs to no program outlasts links, and is never stopped`() {
    var world = FollowingTests.followed()
    world.daemon.acquire(Self.path)
    for _ in 0..<5 {
      world.daemon.dropLinks(of: 1)
      world.run(.seconds(60))
    }
    #expect(world.state() == .takenByAnother)
    #expect(world.daemon.isRunning)
    FollowingTests.check(world)
  }

  @Test func `a mute strap with an acquired characteristic gets new links, and is not removed`() {
    var world = FollowingTests.followed()
    world.daemon.acquire(Self.other)
    let mute = world.now
    world.daemon.update(1) { $0.isMute = true }
    world.run(.seconds(300))
    #expect(world.links(since: mute) >= 3)
    #expect(!world.wasIn(.staleCache))
    world.daemon.update(1) { $0.isMute = false }
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `a strap without a measurement and with an acquired characteristic is not removed`() {
    var world = FollowingTests.followed()
    world.daemon.acquire(Self.other)
    world.run(.seconds(1))
    world.daemon.update(1) { $0.lacksMeasurement = true }
    world.daemon.remove(Self.path)
    world.run(.seconds(2000))
    #expect(world.state() == .unusable)
    FollowingTests.check(world)
  }

  @Test(arguments: [true, false])
  func `a strap that is released while it is acquired keeps its acquisition`(isStopped: Bool) {
    var world = FollowingTests.followed()
    world.daemon.acquire(Self.path)
    world.run(.seconds(1))
    if isStopped { world.give(.stop) } else { world.follow([]) }
    world.run(.seconds(5))
    #expect(world.daemon.acquired == [Self.path])
    FollowingTests.check(world)
  }

  @Test func `an unanswered subscription is not stopped once the strap is acquired`() {
    var world = FollowingTests.begun { $0.update(1) { $0.ignoresSubscriptions = true } }
    #expect(world.run(atMost: .seconds(20)) { !$0.daemon.subscriptions.isEmpty } != nil)
    world.daemon.acquire(Self.path)
    world.follow([])
    world.run(.seconds(60))
    #expect(world.daemon.acquired == [Self.path])
    FollowingTests.check(world)
  }
}
