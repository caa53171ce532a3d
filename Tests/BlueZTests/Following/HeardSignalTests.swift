import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// What a discovery hears of monitors that are followed.
@Suite struct HeardSignalTests {
  @Test func `a monitor that is sought is told with its strength, and no other`() throws {
    var world = FollowingWorld(straps: 2)
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(600)) { $0.state() == .following } != nil)
    let first = try #require(world.signals.first)
    #expect(first.rssi == -60)
    #expect(world.signals.allSatisfy { $0.monitor == FakeStrap.address(1) })
    // Somebody else's discovery.
    world.daemon.set(
      FakeStrap(1).path(by: FakeDaemon.adapter(0)), BlueZInterface.device, ["RSSI": .int16(-71)])
    world.run(.seconds(1))
    let last = try #require(world.signals.last)
    #expect(last.rssi == -71 && last.time > first.time)
  }

  @Test func `what bluetoothd heard before the conversation began is not told as heard now`() {
    var world = FollowingWorld()
    world.daemon.know(1)
    // That it was found was said to others.
    world.daemon.outbox.removeAll()
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(600)) { $0.state() == .following } != nil)
    #expect(world.signals.isEmpty)
  }
}
