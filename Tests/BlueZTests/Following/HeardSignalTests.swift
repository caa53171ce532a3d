import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// Tests reporting the signal strengths that a discovery finds for followed monitors.
@Suite struct HeardSignalTests {
  @Test func `the signal strength of a searched monitor is reported, and of no other`() throws {
    var world = FollowingWorld(straps: 2)
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(600)) { $0.state() == .following } != nil)
    let first = try #require(world.signals.first)
    #expect(first.rssi == -60)
    #expect(world.signals.allSatisfy { $0.monitor == FakeStrap.address(1) })
    // Report a new RSSI, as in a discovery by another client.
    world.daemon.set(
      FakeStrap(1).path(by: FakeDaemon.adapter(0)), BlueZInterface.device, ["RSSI": .int16(-71)])
    world.run(.seconds(1))
    let last = try #require(world.signals.last)
    #expect(last.rssi == -71 && last.time > first.time)
  }

  @Test func `devices of the initial snapshot are not reported as received now`() {
    var world = FollowingWorld()
    world.daemon.know(1)
    // Discard the signals about the device, which were sent before this client connected.
    world.daemon.outbox.removeAll()
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(600)) { $0.state() == .following } != nil)
    #expect(world.signals.isEmpty)
  }
}
