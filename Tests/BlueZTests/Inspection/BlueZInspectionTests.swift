import Bluetooth
import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct BlueZInspectionTests {
  private func tree(_ adapter: Properties, paired: Bool = true) -> ObjectTree {
    var tree = ObjectTree()
    var adapter = adapter
    adapter["Address"] = .string("00:1B:DC:0A:0B:01")
    adapter["AddressType"] = .string("public")
    _ = tree.apply(
      .snapshot([
        "/org/bluez/hci0": [BlueZInterface.adapter: adapter],
        "/org/bluez/hci0/dev_1": [
          BlueZInterface.device: [
            "Address": .string("F0:0D:BE:A7:01:01"), "AddressType": .string("random"),
            "Adapter": .objectPath("/org/bluez/hci0"), "Paired": .boolean(paired),
          ]
        ],
      ]))
    return tree
  }

  @Test(
    arguments: [
      ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0557", "5.87"), ("usb:v1D6Bp0246d0600", "6.0"),
      ("bluetooth:v000Fp1200d1436", nil), ("usb:v1D6Bp0246d05", nil), ("", nil),
    ] as [(String, String?)])
  func `the version of bluetoothd is read from its modalias`(modalias: String, version: String?) {
    #expect(BlueZInspection(tree(["Modalias": .string(modalias)])).version == version)
  }

  @Test func `bonds and adapters are reported`() {
    let found = BlueZInspection(tree(["Powered": .boolean(true), "Discovering": .boolean(true)]))
    #expect(found.adapters.map(\.name) == ["hci0"] && found.adapters[0].isPowered)
    #expect(found.bonds == [BluetoothAddress(bits: 0xF00D_BEA7_0101, kind: .random)])
    #expect(BlueZInspection(tree([:], paired: false)).bonds.isEmpty)
  }

  @Test(.enabled(if: ScriptedBlueZ.isInstalled))
  func `a discovery that ends in the meantime is not stuck`() async throws {
    let bluez = try ScriptedBlueZ(tree: ScriptedTree.json(isKnown: false))
    try await bluez.waitUntilReady()
    func set(_ isDiscovering: Bool) async throws {
      try await bluez.order(
        #""do": "set", "path": "/org/bluez/hci0", "interface": "org.bluez.Adapter1", "#
          + #""properties": {"Discovering": \#(isDiscovering)}"#)
    }
    try await set(true)
    let stuck = try await BlueZInspection.look(bus: bluez.address, timeout: .milliseconds(1))
    #expect(stuck.adapters.map(\.isDiscoveringForGood) == [true])
    async let found = BlueZInspection.look(bus: bluez.address, timeout: .seconds(600))
    // When the inspection requests the objects a second time, its first check is complete.
    let before = bluez.count("GetManagedObjects")
    #expect(await eventually { bluez.count("GetManagedObjects") > before })
    try await set(false)
    #expect(try await found.adapters.map(\.isDiscoveringForGood) == [false])
    for change in ["StartDiscovery", "Connect", "SetDiscoveryFilter"] { #expect(bluez.count(change) == 0) }
  }

  @Test(.enabled(if: ScriptedBlueZ.isInstalled))
  func `a bluetoothd that is not running is not started`() async throws {
    let bluez = try ScriptedBlueZ(tree: ScriptedTree.json(isKnown: false))
    try await bluez.waitUntilReady()
    try await bluez.order(#""do": "release-name""#)
    await #expect(throws: BlueZUnavailableError.daemonAbsent) {
      try await BlueZInspection.look(bus: bluez.address)
    }
  }
}
