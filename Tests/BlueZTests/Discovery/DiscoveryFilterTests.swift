import Bluetooth
import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests discovery filters. bluetoothd 5.87 crashes on a filter with UUIDs, whichever client sets it.
@Suite(.timeLimit(.minutes(30))) struct DiscoveryFilterTests {
  @Test func `the discoveries of a gateway have no service filter`() {
    var world = FollowingWorld()
    world.follow([1])
    world.openBus()
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
    let bodies = world.calls.compactMap { entry -> [DBusValue]? in
      guard case .setDiscoveryFilter = entry.call else { return nil }
      return entry.call.message.body
    }
    #expect(!bodies.isEmpty)
    for body in bodies { #expect(body == [.properties(["Transport": .string("le")])]) }
  }

  @Test(.enabled(if: ScriptedBlueZ.isInstalled)) func `nor does a scan, in the calls on the bus`()
    async throws
  {
    let bluez = try ScriptedBlueZ(tree: ScriptedTree.json(isKnown: false))
    try await bluez.waitUntilReady()
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
      try await host.scan(for: .milliseconds(50), admitting: BlueZHost.Admission()) { _ in }
    }
    let filters = bluez.calls.filter { $0.member == "SetDiscoveryFilter" }
    #expect(filters.count == 1)
    for filter in filters {
      #expect(filter.arguments.contains("Transport") && !filter.arguments.contains("UUIDs"))
    }
  }
}
