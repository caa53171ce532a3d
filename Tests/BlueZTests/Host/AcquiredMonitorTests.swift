import Bluetooth
import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests removing and enrolling a monitor whose notifications another program has acquired (AcquireNotify).
@Suite(.serialized, .enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30)))
struct AcquiredMonitorTests {
  private static let setAcquired =
    #""do": "set", "path": "\#(ScriptedTree.measurement)", "interface": "org.bluez.GattCharacteristic1", "properties": "#

  /// Creates a bluetoothd that knows the strap and its services. One of them is acquired.
  ///
  /// - Parameter isBonded: Whether the strap also has a bond.
  private func acquired(isBonded: Bool = false) async throws -> ScriptedBlueZ {
    let bluez = try ScriptedBlueZ(
      tree: ScriptedTree.json()
        .replacing(#""Notifying": false"#, with: #""Notifying": false, "NotifyAcquired": true"#)
        .replacing(#""Paired": false"#, with: #""Paired": \#(isBonded)"#))
    try await bluez.waitUntilReady()
    // The services are known from an earlier link.
    try await bluez.order(
      #""do": "add", "path": "\#(ScriptedTree.strap)/service000e", "interfaces": {"org.bluez.GattService1": {"UUID": "0000180d-0000-1000-8000-00805f9b34fb", "Device": "\#(ScriptedTree.strap)"}}"#
    )
    try await bluez.order(
      #""do": "add", "path": "\#(ScriptedTree.measurement)", "interfaces": {"org.bluez.GattCharacteristic1": {"UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": "\#(ScriptedTree.strap)/service000e", "Flags": ["notify"], "Notifying": false, "NotifyAcquired": true}}"#
    )
    return bluez
  }

  @Test(arguments: [true, false])
  func `it is not removed, not even for all, until it is released`(isForAll: Bool) async throws {
    let bluez = try await acquired()
    let path = try #require(ObjectPath(ScriptedTree.measurement))
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
      await #expect(throws: NotifyAcquiredError(monitor: ScriptedTree.address)) {
        try await host.forget(ScriptedTree.address, isForAll: isForAll)
      }
      #expect(bluez.count("RemoveDevice") == 0 && bluez.count("StopNotify") == 0)
      try await bluez.order(Self.setAcquired + #"{"NotifyAcquired": false}"#)
      #expect(await eventually { await !host.objectCache.tree.isAcquired(path) })
      #expect(try await host.forget(ScriptedTree.address, isForAll: isForAll) == .forgotten)
    }
    #expect(await eventually { bluez.count("RemoveDevice") == 1 })
  }

  @Test
  func `it is not enrolled, its subscription is not stopped, and its link is left to the other program`()
    async throws
  {
    let bluez = try await acquired()
    await #expect(throws: NotifyAcquiredError(monitor: ScriptedTree.address)) {
      try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) {
        try await $0.enrol("F0:0D:BE:A7:01:01", bonding: .none, dialogue: Answers()) { _ in }
      }
    }
    #expect(bluez.count("StopNotify") == 0)
    #expect(bluez.count("Disconnect") == 0)
  }

  @Test func `a bond that seems to be lost is not removed`() async throws {
    let bluez = try await acquired(isBonded: true)
    // Each link ends immediately, as with a lost bond.
    try await bluez.order(
      #""do": "reply", "method": "Connect", "times": 5, "plain": true, "before": [{"do": "set", "interface": "org.bluez.Device1", "properties": {"Connected": true}}, {"do": "set", "interface": "org.bluez.Device1", "properties": {"Connected": false}}]"#
    )
    await #expect(throws: NotifyAcquiredError(monitor: ScriptedTree.address)) {
      try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) {
        try await $0.enrol("F0:0D:BE:A7:01:01", bonding: .preferred, dialogue: Answers()) { _ in }
      }
    }
    #expect(bluez.count("RemoveDevice") == 0)
    // The properties of the device are unchanged too.
    #expect(bluez.count("Set") == 0)
  }
}
