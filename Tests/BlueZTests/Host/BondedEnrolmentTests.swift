import Bluetooth
import Synchronization
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests enrolling a monitor that is already bonded. A single failed attempt must not remove the bond.
@Suite(.enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30)))
struct BondedEnrolmentTests {
  final class Steps: Sendable {
    private let taken = Mutex([PairingStep]())
    var all: [PairingStep] { taken.withLock(\.self) }
    func note(_ step: PairingStep) { taken.withLock { $0.append(step) } }
  }

  private static let other = "/org/bluez/hci1"
  private static let removal = PairingStep.removingBond(ScriptedTree.address)

  /// Returns a bluetoothd with two adapters that know the strap and have bonds with it.
  private func scripted() async throws -> ScriptedBlueZ {
    let bonded = ScriptedTree.strapObject.replacing(#""Paired": false"#, with: #""Paired": true"#)
    let byOther = bonded.replacing(ScriptedTree.adapter, with: Self.other)
    let adapters = [ScriptedTree.adapterObject(), ScriptedTree.adapterObject().otherAdapter(Self.other)]
    let bluez = try ScriptedBlueZ(
      tree: #"""
        {"objects": {\#((adapters + [bonded, byOther]).joined(separator: ", "))},
         "discoverable": {\#(ScriptedTree.strapObject)}, "services": {\#(ScriptedTree.services())}}
        """#)
    try await bluez.waitUntilReady()
    return bluez
  }

  private func enrol(_ bluez: ScriptedBlueZ, _ steps: Steps) async throws -> MonitorFacts {
    try await BlueZHost.with(
      bus: bluez.address, adapter: ScriptedTree.adapterAddress, timeout: .asLongAsItTakes
    ) {
      try await $0.enrol("F0:0D:BE:A7:01:01", bonding: .preferred, dialogue: Answers()) { steps.note($0) }
    }
  }

  private func failConnect(_ bluez: ScriptedBlueZ, times: Int, _ refusal: String) async throws {
    try await bluez.order(#""do": "reply", "method": "Connect", "times": \#(times), \#(refusal)"#)
  }

  @Test(arguments: [1, 2])
  func `a failed attempt does not cost the bond`(times: Int) async throws {
    let bluez = try await scripted()
    try await failConnect(
      bluez, times: times, #""error": "Failed", "message": "le-connection-abort-by-local""#)
    let steps = Steps()
    let facts = try await enrol(bluez, steps)
    #expect(facts.isBonded)
    #expect(await eventually { bluez.count("Connect") == times + 1 })
    #expect(bluez.count("RemoveDevice") == 0)
    #expect(!steps.all.contains(Self.removal))
  }

  /// - Parameter times: The number of links that fail. After three, the bond is removed; later ones are
  /// retried.
  @Test(arguments: [3, 5])
  func `repeated links that end at once cost the bond of this adapter only, and it is reported`(
    times: Int
  ) async throws {
    let bluez = try await scripted()
    // Each link is lost before its services are resolved.
    try await failConnect(
      bluez, times: times,
      #""plain": true, "before": [{"do": "set", "interface": "org.bluez.Device1", "properties": {"Connected": true}}, {"do": "set", "interface": "org.bluez.Device1", "properties": {"Connected": false}}]"#
    )
    let steps = Steps()
    let facts = try await enrol(bluez, steps)
    #expect(facts.isBonded)
    #expect(steps.all.count { $0 == Self.removal } == 1)
    #expect(bluez.calls.filter { $0.member == "RemoveDevice" }.map(\.path) == [ScriptedTree.adapter])
    #expect(await eventually { bluez.count("Connect") == times + 1 })
    #expect(await eventually { bluez.count("Pair") == 1 })
  }

  @Test func `a monitor with new keys is paired once more, without the device of the old keys`()
    async throws
  {
    let old = ScriptedTree.strapObject.replacing(#""Paired": false"#, with: #""Paired": true"#)
      .replacing(#""RSSI": -60, "#, with: "")
    func inPrivate(_ text: String) -> String {
      text.replacing("F0:0D:BE:A7:01:01", with: "4A:28:F8:40:A1:F1")
        .replacing("F0_0D_BE_A7_01_01", with: "4A_28_F8_40_A1_F1")
    }
    let bluez = try ScriptedBlueZ(
      tree: #"""
        {"objects": {\#(ScriptedTree.adapterObject()), \#(old)},
         "discoverable": {\#(inPrivate(ScriptedTree.strapObject))}, "services": {\#(inPrivate(ScriptedTree.services()))}}
        """#)
    try await bluez.waitUntilReady()
    let identityAddress =
      #""before": [{"do": "set", "interface": "org.bluez.Device1", "properties": {"Address": "F0:0D:BE:A7:01:01"}}]"#
    // The first Pair is for the old device, which is removed during the call, so it gets no reply.
    try await bluez.order(
      #""do": "reply", "method": "Pair", "plain": true, "before": [{"do": "set", "interface": "org.bluez.Device1", "properties": {"Address": "F0:0D:BE:A7:01:01"}}, {"do": "sleep", "seconds": 5}]"#
    )
    try await bluez.order(#""do": "reply", "method": "Pair", \#(identityAddress)"#)
    let steps = Steps()
    let facts = try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) {
      try await $0.enrol("4A:28:F8:40:A1:F1", bonding: .preferred, dialogue: Answers()) { steps.note($0) }
    }
    #expect(facts.isBonded)
    #expect(facts.address == ScriptedTree.address)
    #expect(bluez.count("RemoveDevice") == 2)
    #expect(bluez.count("Pair") == 2)
    #expect(steps.all.contains(.removingOldKeys(ScriptedTree.address)))
  }

  @Test func `a monitor whose bond was removed is found by its name if its address is private`() async throws
  {
    let bonded = ScriptedTree.strapObject.replacing(#""Paired": false"#, with: #""Paired": true"#)
    // Without the bond, the address of the advertisement cannot be resolved and is private.
    func inPrivate(_ text: String) -> String {
      text.replacing("F0:0D:BE:A7:01:01", with: "4A:28:F8:40:A1:F1")
        .replacing("F0_0D_BE_A7_01_01", with: "4A_28_F8_40_A1_F1")
    }
    let bluez = try ScriptedBlueZ(
      tree: #"""
        {"objects": {\#(ScriptedTree.adapterObject()), \#(bonded)},
         "discoverable": {\#(inPrivate(ScriptedTree.strapObject))}, "services": {\#(inPrivate(ScriptedTree.services()))}}
        """#)
    try await bluez.waitUntilReady()
    try await failConnect(
      bluez, times: 3, #""error": "Failed", "message": "le-connection-abort-by-local""#)
    try await bluez.order(
      #""do": "reply", "method": "Pair", "before": [{"do": "agent", "method": "RequestAuthorization"}, {"do": "set", "interface": "org.bluez.Device1", "properties": {"Address": "F0:0D:BE:A7:01:01"}}]"#
    )
    let facts = try await enrol(bluez, Steps())
    #expect(facts.isBonded)
    #expect(facts.address == ScriptedTree.address)
    #expect(bluez.count("RemoveDevice") == 1)
  }

  @Test(arguments: [
    (#""error": "NotReady", "message": "Resource Not Ready""#, 1),
    (#""error": "Failed", "message": "le-connection-concurrent-connection-limit""#, 1),
    // The device has disappeared, so one more discovery searches for it.
    (#""error": "org.freedesktop.DBus.Error.UnknownObject", "message": "gone""#, 2),
  ])
  func `a failure that is not caused by the bond is reported, and the bond stays`(
    refusal: String, attempts: Int
  ) async throws {
    let bluez = try await scripted()
    try await failConnect(bluez, times: 9, refusal)
    await #expect(throws: PairingError.self) { _ = try await enrol(bluez, Steps()) }
    #expect(await eventually { bluez.count("Connect") == attempts })
    #expect(bluez.count("RemoveDevice") == 0)
  }

  @Test func `a bonded link without replies is made again`() async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "StartNotify", "never": true"#)
    let facts = try await enrol(bluez, Steps())
    #expect(facts.isBonded)
    #expect(bluez.count("StartNotify") == 2)
    #expect(bluez.count("Connect") == 2)
    // The subscription without a reply is stopped too.
    #expect(bluez.count("StopNotify") == 2)
    // The second link is ended after the enrollment, because the enrollment made it.
    #expect(await eventually { bluez.count("Disconnect") == 2 })
  }

  @Test func `a link that a gateway makes is left to it`() async throws {
    let bluez = try await scripted()
    // A connection attempt of the gateway is already running, and succeeds.
    try await failConnect(
      bluez, times: 1,
      #""error": "InProgress", "after": [{"do": "set", "interface": "org.bluez.Device1", "properties": {"Connected": true}}, {"do": "add", "path": "\#(ScriptedTree.strap)/service000e", "interfaces": {"org.bluez.GattService1": {"UUID": "0000180d-0000-1000-8000-00805f9b34fb", "Device": "\#(ScriptedTree.strap)"}}}, {"do": "add", "path": "\#(ScriptedTree.measurement)", "interfaces": {"org.bluez.GattCharacteristic1": {"UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": "\#(ScriptedTree.strap)/service000e", "Flags": ["notify"], "Notifying": false}}}, {"do": "set", "interface": "org.bluez.Device1", "properties": {"ServicesResolved": true}}]"#
    )
    _ = try await enrol(bluez, Steps())
    #expect(bluez.count("Disconnect") == 0)
  }
}

extension String {
  fileprivate func otherAdapter(_ path: String) -> String {
    replacing(ScriptedTree.adapter, with: path).replacing("00:1B:DC:0A:0B:01", with: "00:1B:DC:0A:0B:02")
  }
}
