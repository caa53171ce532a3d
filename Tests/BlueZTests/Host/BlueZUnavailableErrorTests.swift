import Bluetooth
import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests the errors of a procedure if a part of the system is missing, exits or does not reply.
@Suite(.enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30)))
struct BlueZUnavailableTests {
  private func scripted(_ tree: String = ScriptedTree.json(isKnown: false)) async throws -> ScriptedBlueZ {
    let bluez = try ScriptedBlueZ(tree: tree)
    try await bluez.waitUntilReady()
    return bluez
  }

  private func unavailability(_ bus: BusAddress, adapter: BluetoothAddress? = nil) async
    -> BlueZUnavailableError?
  {
    do {
      try await BlueZHost.with(bus: bus, adapter: adapter) { _ in }
      return nil
    } catch {
      return error as? BlueZUnavailableError
    }
  }

  @Test func `without a bus there is an error about the bus`() async throws {
    guard case .busAbsent? = await unavailability(.address("unix:path=/nonexistent/bus")) else {
      Issue.record("another error, or none")
      return
    }
  }

  @Test func `a bus that rejects this user is not a missing bus`() async throws {
    let bus = try RejectingBus()
    let unavailable = await unavailability(.address(bus.address))
    guard case .userRefused(let why)? = unavailable else {
      Issue.record("\(unavailable as Any)")
      return
    }
    #expect(why.contains("does not accept this user (user ID"))
    #expect(unavailable?.description.contains("Run hrgate as a user") == true)
    await #expect(throws: BlueZUnavailableError.userRefused(why)) {
      try await BlueZInspection.look(bus: .address(bus.address))
    }
    // A socket that this user may not open gives the same error.
    #expect(BlueZUnavailableError(opening: BusError(.accessDenied, "no")) == .userRefused("no"))
  }

  @Test func `without bluetoothd there is an error about it`() async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "release-name""#)
    #expect(await unavailability(bluez.address) == .daemonAbsent)
  }

  @Test(arguments: [
    ("", BlueZUnavailableError.adapterAbsent),
    (ScriptedTree.adapterObject(#""Powered": false"#), .adapterOff),
    (ScriptedTree.adapterObject(#""Powered": false, "PowerState": "off-blocked""#), .adapterBlocked),
  ])
  func `without a usable adapter there is an error with the reason`(
    adapter: String, expected: BlueZUnavailableError
  ) async throws {
    let bluez = try await scripted(
      #"{"objects": {\#(adapter)}, "discoverable": {}, "services": {}}"#)
    #expect(await unavailability(bluez.address) == expected)
  }

  @Test func `without the requested adapter there is an error with its address`() async throws {
    let bluez = try await scripted()
    let other = BluetoothAddress(bits: 1, kind: .publicDevice)
    #expect(await unavailability(bluez.address, adapter: other) == .adapterUnknown(other))
  }

  @Test func `a bluetoothd that exits ends pending waits`() async throws {
    let bluez = try await scripted(#"{"objects": {\#(ScriptedTree.adapterObject())}}"#)
    await #expect(throws: BlueZUnavailableError.daemonAbsent) {
      try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { host in
        try await bluez.order(#""do": "release-name""#)
        _ = try await host.objectCache.wait(upTo: .seconds(120)) { $0.adapters.isEmpty ? true : nil }
      }
    }
  }

  private func refuseObjects(_ bluez: ScriptedBlueZ, _ how: String) async throws {
    try await bluez.order(#""do": "reply", "method": "GetManagedObjects", \#(how)"#)
  }

  @Test func `a slow bluetoothd is waited for`() async throws {
    let bluez = try await scripted()
    // The delay is longer than the time that adapters have to appear after bluetoothd has started.
    try await refuseObjects(bluez, #""delay": 3"#)
    #expect(await unavailability(bluez.address) == nil)
  }

  @Test func `a bluetoothd that does not reply is not a missing adapter`() async throws {
    let bluez = try await scripted()
    try await refuseObjects(bluez, #""never": true"#)
    await #expect(throws: BlueZUnavailableError.notAnswering) {
      try await BlueZHost.with(bus: bluez.address, timeout: .milliseconds(200)) { _ in }
    }
  }

  @Test(arguments: [
    ("AccessDenied", BlueZUnavailableError.notPermitted("no")),
    ("LimitsExceeded", .refused("org.freedesktop.DBus.Error.LimitsExceeded: no")),
  ])
  func `errors of the bus are reported as such`(name: String, expected: BlueZUnavailableError) async throws {
    let bluez = try await scripted()
    try await refuseObjects(bluez, #""error": "org.freedesktop.DBus.Error.\#(name)", "message": "no""#)
    #expect(await unavailability(bluez.address) == expected)
  }
}
