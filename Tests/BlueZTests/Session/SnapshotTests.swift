import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests signals that bluetoothd sent before the snapshot of its objects and that are read after it.
@Suite(.enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30)))
struct SnapshotTests {
  /// Returns the events of a session in which bluetoothd executes the given orders after it was asked for its
  /// objects and before it replies.
  ///
  /// - Returns: All events up to the last change of the test: the adapter's alias becomes "last".
  private func events(before: [String]) async throws -> [TreeEvent] {
    let bluez = try ScriptedBlueZ(tree: ScriptedTree.json())
    try await bluez.waitUntilReady()
    let connection = try await BusConnection.open(bluez.address)
    try await bluez.order(
      #""do": "reply", "method": "GetManagedObjects", "before": [\#(before.joined(separator: ", "))]"#)
    let (events, continuation) = AsyncStream.makeStream(of: TreeEvent.self)
    let listening = Task {
      try await BlueZSession(connection: connection).listen { event, _ in continuation.yield(event) }
    }
    var all: [TreeEvent] = []
    for await event in events {
      all.append(event)
      if case .snapshot = event { try await bluez.order(Self.set("Alias", #""last""#)) }
      if case .propertiesChanged(_, _, let changed, _) = event, changed["Alias"] != nil { break }
    }
    listening.cancel()
    await connection.close()
    return all
  }

  private static func set(_ property: String, _ value: String, silent: Bool = false) -> String {
    #""do": "set", "path": "\#(ScriptedTree.adapter)", "interface": "org.bluez.Adapter1", "#
      + #""properties": {"\#(property)": \#(value)}, "silent": \#(silent)"#
  }

  @Test func `an old signal does not change a newer snapshot`() async throws {
    let events = try await events(before: [
      "{\(Self.set("Discovering", "true"))}", "{\(Self.set("Discovering", "false", silent: true))}",
    ])
    var tree = ObjectTree()
    for event in events { _ = tree.apply(event) }
    #expect(tree.adapters.map(\.isDiscovering) == [false])
  }
}
