import Bluetooth
import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests scanning, enrolling and removing with a scripted org.bluez on a real bus.
@Suite(.enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30))) struct BlueZHostTests {
  private func scripted(_ tree: String = ScriptedTree.json(isKnown: false)) async throws -> ScriptedBlueZ {
    let bluez = try ScriptedBlueZ(tree: tree)
    try await bluez.waitUntilReady()
    return bluez
  }

  private func enrol(
    _ bluez: ScriptedBlueZ, _ query: String = "F0:0D:BE:A7:01:01", bonding: Bonding = .preferred,
    _ dialogue: Answers = Answers()
  ) async throws -> MonitorFacts {
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) {
      try await $0.enrol(query, bonding: bonding, dialogue: dialogue) { _ in }
    }
  }

  @Test(arguments: [
    ("", "", []),
    (#"{"do": "agent", "method": "RequestPasskey", "expect": 123456}"#, "", ["passkey"]),
    (#"{"do": "agent", "method": "RequestConfirmation", "args": [7]}"#, "", ["confirm 7"]),
    (#"{"do": "agent", "method": "DisplayPasskey", "args": [9, 0]}"#, "", ["show 9"]),
    (#"{"do": "agent", "method": "RequestAuthorization"}"#, "", []),
  ])
  func `a monitor is found, paired by each method, and described`(
    question: String, name: String, asked: [String]
  ) async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "Pair", "before": [\#(question)]"#)
    let answers = Answers(passkey: 123456)
    let facts = try await enrol(bluez, answers)
    #expect(facts.isBonded)
    #expect(facts.bondRefusal == nil)
    #expect(facts.address.bits == ScriptedTree.address.bits)
    #expect(facts.adapter == ScriptedTree.adapterAddress)
    #expect(facts.name == "Strap")
    #expect(facts.values.map(\.characteristic) == [.bodySensorLocation])
    #expect(answers.asked.all == asked)
    #expect(await eventually { bluez.count("StopDiscovery") == 1 })
    #expect(await eventually { bluez.count("UnregisterAgent") == 1 })
    #expect(await eventually { bluez.count("Disconnect") == 1 })
  }

  private func enrol(_ bluez: ScriptedBlueZ, _ answers: Answers) async throws -> MonitorFacts {
    try await enrol(bluez, "F0:0D:BE:A7:01:01", bonding: .preferred, answers)
  }

  @Test(arguments: [
    #""before": [{"do": "agent", "method": "RequestPinCode"}]"#,
    #""before": [{"do": "agent", "method": "RequestPasskey", "device": "/org/bluez/hci0/dev_00"}]"#,
    #""error": "AuthenticationFailed""#, #""error": "AuthenticationRejected""#,
    #""error": "AuthenticationTimeout""#,
  ])
  func `a monitor that does not pair is enrolled without a bond, with the reason`(
    refusal: String
  ) async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "Pair", \#(refusal)"#)
    let answers = Answers(passkey: 123456)
    let facts = try await enrol(bluez, answers)
    #expect(!facts.isBonded)
    #expect(facts.bondRefusal?.contains("pairing") == true)
    #expect(await eventually { bluez.count("Disconnect") == 1 })
    #expect(answers.asked.all.isEmpty)
  }

  @Test(arguments: [
    #"{"do": "agent", "method": "RequestPasskey"}"#,
    #"{"do": "agent", "method": "RequestConfirmation", "args": [7]}"#,
  ])
  func `without consent or a passkey nothing is enrolled`(question: String) async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "Pair", "before": [\#(question)]"#)
    await #expect(throws: PairingError.pairingRefused) {
      _ = try await enrol(bluez, Answers(passkey: nil, confirms: false))
    }
    #expect(await eventually { bluez.count("Disconnect") == 1 })
  }

  @Test(arguments: [
    #""before": [{"do": "agent", "method": "RequestPasskey", "expect": 111111}]"#,
    #""before": [{"do": "agent", "method": "DisplayPasskey", "args": [9, 0]}], "error": "AuthenticationFailed""#,
    #""before": [{"do": "agent", "method": "RequestConfirmation", "args": [7]}], "error": "AuthenticationFailed""#,
  ])
  func `a wrong passkey enrolls nothing`(failure: String) async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "Pair", \#(failure)"#)
    await #expect(
      throws: PairingError.pairingFailed("the passkey was wrong, or the monitor needs none")
    ) { _ = try await enrol(bluez, Answers(passkey: 123456)) }
  }

  @Test func `a user who enters a passkey gets no enrollment without a bond`() async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "Pair", "error": "AuthenticationRejected""#)
    await #expect(
      throws: PairingError.pairingFailed("the monitor refused, possibly because of a wrong passkey")
    ) {
      _ = try await enrol(
        bluez, "F0:0D:BE:A7:01:01", bonding: .required, Answers(passkey: 123456))
    }
  }

  @Test func `a pairing that fails for another reason enrolls nothing`() async throws {
    let bluez = try await scripted()
    try await bluez.order(
      #""do": "reply", "method": "Pair", "error": "NotReady", "message": "Resource Not Ready""#)
    await #expect(
      throws: PairingError.pairingFailed("org.bluez.Error.NotReady: Resource Not Ready")
    ) { _ = try await enrol(bluez, Answers()) }
  }

  @Test func `a monitor that requires a bond and gets none is rejected with the reason`() async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "Pair", "error": "AuthenticationFailed""#)
    try await bluez.order(
      #""do": "reply", "method": "StartNotify", "error": "NotPermitted", "message": "Not paired""#)
    await #expect(
      throws: PairingError.pairingNeeded(
        "the monitor does not support pairing, or the passkey was wrong")
    ) { _ = try await enrol(bluez, Answers()) }
  }

  @Test func `if no bond is wanted, the user is not asked, and a name is enough`() async throws {
    let bluez = try await scripted()
    let facts = try await enrol(bluez, "strap", bonding: .none)
    #expect(!facts.isBonded)
    #expect(bluez.count("Pair") == 0 && bluez.count("RegisterAgent") == 0)
  }

  private static let privateAddress = BluetoothAddress(bits: 0x4A28_F840_A1F1, kind: .random)

  /// Returns a bluetoothd with a strap that has a private address.
  private func scriptedInPrivate() async throws -> ScriptedBlueZ {
    let identity = #""Address": "\#(ScriptedTree.address)""#
    let address = #""Address": "\#(Self.privateAddress)""#
    return try await scripted(ScriptedTree.json(isKnown: false).replacing(identity, with: address))
  }

  @Test func `a monitor that sends its identity while pairing is enrolled with that address`() async throws {
    let bluez = try await scriptedInPrivate()
    let steps =
      #"{"do": "set", "interface": "org.bluez.Device1", "properties": {"Address": "00:22:D0:5E:01:02", "AddressType": "public"}}"#
    try await bluez.order(#""do": "reply", "method": "Pair", "before": [\#(steps)]"#)
    let facts = try await enrol(bluez, Self.privateAddress.description)
    #expect(facts.isBonded && facts.bondRefusal == nil)
    #expect(facts.address == BluetoothAddress(bits: 0x0022_D05E_0102, kind: .publicDevice))
    #expect(facts.privateAddress == Self.privateAddress)
    #expect(await eventually { bluez.count("Disconnect") == 1 })
  }

  @Test func `a monitor that sends no identity is enrolled without a bond, because the bond would not last`()
    async throws
  {
    let bluez = try await scriptedInPrivate()
    let facts = try await enrol(bluez, Self.privateAddress.description)
    #expect(!facts.isBonded)
    #expect(
      facts.bondRefusal
        == "the monitor does not send an identity address, so its bond would be lost when it disconnects")
    #expect(facts.address == Self.privateAddress && facts.privateAddress == nil)
    await #expect(throws: PairingError.self) {
      _ = try await enrol(bluez, Self.privateAddress.description, bonding: .required)
    }
  }

  @Test func `a device that is not a monitor is rejected and disconnected`() async throws {
    let bluez = try await scripted(ScriptedTree.json(isKnown: false, hasMeasurement: false))
    await #expect(throws: PairingError.noMeasurement) { _ = try await enrol(bluez) }
    #expect(await eventually { bluez.count("Disconnect") == 1 })
  }

  @Test func `a failed connection is reported with bluetoothd's error`() async throws {
    let bluez = try await scripted()
    try await bluez.order(
      #""do": "reply", "method": "Connect", "error": "Failed", "message": "le-connection-abort-by-local""#)
    await #expect(
      throws: PairingError.notConnected("org.bluez.Error.Failed: le-connection-abort-by-local")
    ) { _ = try await enrol(bluez) }
  }

  @Test func `a monitor that bluetoothd removes before the connection is searched for again`() async throws {
    let bluez = try await scripted()
    let removal = #"{"do": "remove", "path": "\#(ScriptedTree.strap)"}"#
    let refusal = #""error": "org.freedesktop.DBus.Error.UnknownObject", "before": [\#(removal)]"#
    try await bluez.order(#""do": "reply", "method": "Connect", \#(refusal)"#)
    let facts = try await enrol(bluez)
    #expect(facts.name == "Strap")
    #expect(await eventually { bluez.count("Connect") == 2 && bluez.count("StartDiscovery") == 2 })
    #expect(await eventually { bluez.count("Disconnect") == 1 })
  }

  @Test func `a scan shows the devices in range, and ends its discovery`() async throws {
    let bluez = try await scripted()
    // Let the strap appear before the scan starts, so that the result does not depend on the speed of the
    // machine.
    try await bluez.order(#""do": "reply", "method": "StartDiscovery", "before": [\#(Self.heard)]"#)
    let seen = Asked()
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
      try await host.scan(for: .milliseconds(600), admitting: BlueZHost.Admission()) { peripherals in
        for peripheral in peripherals { seen.note(peripheral.name ?? "") }
      }
    }
    #expect(Set(seen.all) == ["Strap"])
    #expect(await eventually { bluez.count("StopDiscovery") == 1 })
  }

  /// The order that makes an adapter report that it is scanning.
  private static let listening =
    #""do": "set", "path": "\#(ScriptedTree.adapter)", "interface": "org.bluez.Adapter1", "properties": {"Discovering": true}"#

  /// The order that makes the strap appear.
  private static let heard =
    #"{"do": "add", "path": "\#(ScriptedTree.strap)", "interfaces": \#(ScriptedTree.strapInterfaces.replacing("\n", with: " "))}"#

  @Test func `the time of a scan begins when the radio scans`() async throws {
    let bluez = try await scripted()
    try await bluez.order(
      #""do": "reply", "method": "StartDiscovery", "plain": true, "after": [{"do": "sleep", "seconds": 2}, \#(Self.heard), {\#(Self.listening)}]"#
    )
    let seen = Asked()
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
      try await host.scan(for: .milliseconds(500), admitting: BlueZHost.Admission()) { peripherals in
        for peripheral in peripherals { seen.note(peripheral.name ?? "") }
      }
    }
    #expect(Set(seen.all) == ["Strap"])
  }

  @Test func `a discovery without a reply is used as well, and is stopped`() async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "StartDiscovery", "never": true"#)
    async let facts = enrol(bluez)
    #expect(await eventually { bluez.count("StartDiscovery") == 1 })
    try await bluez.order(Self.listening)
    let interfaces = ScriptedTree.strapInterfaces.replacing("\n", with: " ")
    try await bluez.order(#""do": "add", "path": "\#(ScriptedTree.strap)", "interfaces": \#(interfaces)"#)
    #expect(try await facts.name == "Strap")
    #expect(bluez.count("StartDiscovery") == 1)
    #expect(await eventually { bluez.count("StopDiscovery") == 1 })
  }

  @Test func `a monitor that the first discovery does not find is searched for by a second`() async throws {
    let bluez = try await scripted()
    try await bluez.order(
      #""do": "reply", "method": "StartDiscovery", "plain": true, "before": [{\#(Self.listening)}]"#)
    let facts = try await enrol(bluez)
    #expect(facts.name == "Strap")
    #expect(await eventually { bluez.count("StopDiscovery") == 2 })
  }

  @Test func `the agent is registered before there is a link`() async throws {
    let bluez = try await scripted()
    // bluetoothd may pair as soon as there is a link, because of the monitor or of another client's
    // subscription.
    try await bluez.order(
      #""do": "reply", "method": "Connect", "before": [{"do": "agent", "method": "RequestPasskey", "expect": 123456}, {"do": "set", "path": "\#(ScriptedTree.strap)", "interface": "org.bluez.Device1", "properties": {"Paired": true}}]"#
    )
    let answers = Answers(passkey: 123456)
    let facts = try await enrol(bluez, answers)
    #expect(facts.isBonded)
    #expect(answers.asked.all == ["passkey"])
    #expect(bluez.count("Pair") == 0)
    #expect(await eventually { bluez.count("UnregisterAgent") == 1 })
  }

  @Test func `a refused pairing that another client started counts as refused`() async throws {
    let bluez = try await scripted()
    try await bluez.order(
      #""do": "reply", "method": "Connect", "before": [{"do": "agent", "method": "RequestPasskey"}], "plain": true"#
    )
    let answers = Answers(passkey: nil)
    await #expect(throws: PairingError.pairingRefused) { _ = try await enrol(bluez, answers) }
    #expect(answers.asked.all == ["passkey"])
    #expect(bluez.count("Pair") == 0)
  }

  @Test func `if a gateway is subscribed, no second subscription is tested`() async throws {
    let bluez = try await scripted()
    try await bluez.order(
      #""do": "reply", "method": "Pair", "before": [{"do": "set", "path": "\#(ScriptedTree.measurement)", "interface": "org.bluez.GattCharacteristic1", "properties": {"Notifying": true}}]"#
    )
    let facts = try await enrol(bluez)
    #expect(facts.isBonded)
    #expect(bluez.count("StartNotify") == 0)
  }

  @Test func `removing a monitor removes it once`() async throws {
    let bluez = try await scripted(ScriptedTree.json())
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
      let wasKnown = try await host.forget(ScriptedTree.address)
      #expect(wasKnown == .forgotten)
      #expect(await eventually { await host.objectCache.tree.devices.isEmpty })
      let isStillKnown = try await host.forget(ScriptedTree.address)
      #expect(isStillKnown == .notKnown)
    }
    #expect(await eventually { bluez.count("RemoveDevice") == 1 })
  }

  /// The order that adds the strap's measurement characteristic with a subscriber.
  private static let followed =
    #""do": "add", "path": "\#(ScriptedTree.measurement)", "interfaces": {"org.bluez.GattCharacteristic1": {"UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": "\#(ScriptedTree.strap)/service000e", "Flags": ["notify"], "Notifying": true}}"#

  private static let subscription = BlueZCall.startNotify(characteristic: path)
  private static let end = BlueZCall.stopNotify(characteristic: path)
  private static let path = ObjectPath(ScriptedTree.measurement) ?? .root

  /// Returns a bluetoothd that knows the strap and reports a subscriber.
  private func followed() async throws -> ScriptedBlueZ {
    let bluez = try await scripted(ScriptedTree.json())
    try await bluez.order(
      #""do": "add", "path": "\#(ScriptedTree.strap)/service000e", "interfaces": {"org.bluez.GattService1": {"UUID": "0000180d-0000-1000-8000-00805f9b34fb", "Device": "\#(ScriptedTree.strap)"}}"#
    )
    try await bluez.order(Self.followed)
    return bluez
  }

  @Test func `a monitor that another program follows is kept, unless it is removed for all`() async throws {
    let bluez = try await followed()
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { other in
      try await other.perform(Self.subscription)
      try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
        let outcome = try await host.forget(ScriptedTree.address)
        #expect(outcome == .leftToOthers)
        #expect(bluez.count("RemoveDevice") == 0)
        let forAll = try await host.forget(ScriptedTree.address, isForAll: true)
        #expect(forAll == .forgotten)
      }
    }
    #expect(await eventually { bluez.count("RemoveDevice") == 1 })
  }

  @Test func `the user's own gateway has time to release a removed monitor`() async throws {
    let bluez = try await followed()
    try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { gateway in
      try await gateway.perform(Self.subscription)
      try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
        async let outcome = host.forget(ScriptedTree.address, timeout: .seconds(60))
        #expect(await eventually { bluez.count("StopNotify") == 1 })
        try await gateway.perform(Self.end)
        #expect(try await outcome == .forgotten)
      }
    }
  }

  @Test(arguments: [
    // The monitor rejects the subscription that bluetoothd remembers, so there is no real subscriber.
    (#""error": "NotPermitted", "message": "Write not permitted""#, ForgetOutcome.forgotten),
    (#""error": "Failed", "message": "Operation failed with ATT error: 0x01""#, .forgotten),
    // Without a link it is unknown whether there is a subscriber, so the monitor stays.
    (#""error": "Failed", "message": "Operation failed with ATT error: 0x0e""#, .leftToOthers),
    (#""error": "NotConnected", "message": "Not connected""#, .leftToOthers),
    ("", .forgotten),
  ])
  func `a reported subscription without a subscriber does not keep the monitor`(
    answer: String, outcome: ForgetOutcome
  ) async throws {
    let bluez = try await followed()
    if !answer.isEmpty { try await bluez.order(#""do": "reply", "method": "StartNotify", \#(answer)"#) }
    let outcomeReported = try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) {
      try await $0.forget(ScriptedTree.address)
    }
    #expect(outcomeReported == outcome)
  }
}
