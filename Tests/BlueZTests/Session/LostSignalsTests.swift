import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests a consumer that cannot keep up. The end of bluetoothd may be among the signals that it misses.
@Suite(.enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30)))
struct LostSignalsTests {
  /// Records events, and blocks at the first one until it is released.
  private actor Listener {
    private(set) var heard: [String] = []
    private let (gate, opening) = AsyncStream.makeStream(of: Void.self)

    func hear(_ event: TreeEvent) async {
      switch event {
      case .snapshot: heard.append("snapshot")
      case .daemonVanished: heard.append("absent")
      case .signalsLost: heard.append("lost")
      case .interfacesAdded, .interfacesRemoved, .propertiesChanged: break
      }
      for await _ in gate {}
    }

    func goOn() { opening.finish() }
  }

  /// - Parameter orders: What bluetoothd does while the consumer is blocked.
  /// - Returns: The events that the consumer receives, up to `count`.
  private func heard(_ count: Int, whenMissing orders: [String]) async throws -> [String] {
    let bluez = try ScriptedBlueZ(tree: ScriptedTree.json())
    try await bluez.waitUntilReady()
    let connection = try await BusConnection.open(bluez.address)
    let listener = Listener()
    let heard = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await BlueZSession(connection: connection, capacity: 1).listen { event, _ in
          await listener.hear(event)
        }
      }
      #expect(await eventually { await listener.heard.count == 1 })
      for order in orders { try await bluez.order(#""do": "\#(order)"#) }
      // The reply to this call arrives after all signals that were sent before it.
      _ = try await connection.nameOwner("org.bluez")
      await listener.goOn()
      _ = await eventually { await listener.heard.count >= count }
      group.cancelAll()
      return await listener.heard
    }
    await connection.close()
    return heard
  }

  private static let chatter = Array(
    repeating:
      #"set", "path": "\#(ScriptedTree.adapter)", "interface": "org.bluez.Adapter1", "properties": {"Discovering": true}"#,
    count: 3)

  @Test func `lost signals of a running bluetoothd are replaced by a snapshot`() async throws {
    #expect(try await heard(3, whenMissing: Self.chatter) == ["snapshot", "lost", "snapshot"])
  }

  @Test func `a missed end is reported`() async throws {
    let orders = Self.chatter + [#"release-name""#]
    #expect(try await heard(3, whenMissing: orders) == ["snapshot", "lost", "absent"])
  }

  @Test func `a missed restart is reported`() async throws {
    let orders = Self.chatter + [#"restart""#]
    #expect(try await heard(4, whenMissing: orders) == ["snapshot", "lost", "absent", "snapshot"])
  }
}
