import Bluetooth
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests what bluetoothd keeps after the user has interrupted a procedure.
@Suite(.enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30)))
struct InterruptionTests {
  /// Starts `body`, and cancels its task once `isReached` returns true.
  private func interrupt(
    _ bluez: ScriptedBlueZ, when isReached: @escaping @Sendable () async -> Bool,
    _ body: @escaping @Sendable (BlueZHost) async throws -> Void
  ) async throws {
    await #expect(throws: CancellationError.self) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await BlueZHost.with(bus: bluez.address, timeout: .asLongAsItTakes) { try await body($0) }
        }
        #expect(await eventually { await isReached() })
        group.cancelAll()
        try await group.waitForAll()
      }
    }
  }

  private func scripted() async throws -> ScriptedBlueZ {
    let bluez = try ScriptedBlueZ(tree: ScriptedTree.json(isKnown: false))
    try await bluez.waitUntilReady()
    return bluez
  }

  @Test(arguments: ["RegisterAgent", "Connect", "Pair", "StartNotify", "ReadValue"])
  func `an interrupted enrollment closes the link`(step: String) async throws {
    let bluez = try await scripted()
    try await bluez.order(#""do": "reply", "method": "\#(step)", "never": true"#)
    try await interrupt(bluez, when: { bluez.count(step) == 1 }) { host in
      _ = try await host.enrol("Strap", bonding: .preferred, dialogue: Answers()) { _ in }
    }
    #expect(await eventually { bluez.count("Disconnect") == (step == "RegisterAgent" ? 0 : 1) })
    #expect(await eventually { bluez.count("StopDiscovery") == 1 })
    #expect(await eventually { bluez.count("CancelPairing") == (step == "Pair" ? 1 : 0) })
    #expect(await eventually { bluez.count("UnregisterAgent") == 1 })
  }

  @Test func `an interrupted scan ends its discovery`() async throws {
    let bluez = try await scripted()
    try await interrupt(bluez, when: { bluez.count("StartDiscovery") == 1 }) { host in
      try await host.scan(for: .seconds(60), admitting: BlueZHost.Admission()) { _ in }
    }
    #expect(await eventually { bluez.count("StopDiscovery") == 1 })
  }
}
