import Testing

@testable import DBus

/// Tests messages for which libdbus would abort the process, or the bus would close the connection.
@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct HostileTests {
  private static func nested(_ depth: Int, _ wrap: (DBusValue) -> DBusValue) -> DBusValue {
    (0..<depth).reduce(.byte(1)) { value, _ in wrap(value) }
  }

  private static let values: [DBusValue] = [
    .string("a\u{0}b"), .structure([]), .variant(.structure([])), .array(of: "i", [.string("x")]),
    .array(of: "ii", []), .array(of: "", []), .array(of: "i", [.int32(1), .uint32(1)]),
    .dictionary(key: "v", value: "i", [:]), .dictionary(key: "as", value: "i", [:]),
    .dictionary(key: "s", value: "ii", [:]), .dictionary(key: "s", value: "i", [.int32(1): .int32(2)]),
    .dictionary(key: "s", value: "i", [.string("k\u{0}"): .int32(2)]), nested(65) { .variant($0) },
    nested(33) { .structure([$0]) }, nested(20_000) { .variant($0) },
    nested(33) { .array(of: $0.signature, [$0]) }, .structure((0..<260).map { _ in .byte(0) }),
    .bytes([UInt8](repeating: 0, count: 64 << 20 + 1)),
  ]

  @Test func `an invalid value is rejected, and the connection stays open`() async throws {
    try await withConnections { _, service, client in
      for (index, value) in Self.values.enumerated() {
        let error = await failure { () throws(BusError) in try await client.call(service, "X", [value]) }
        #expect(error?.name == .invalidMessage, "value \(index)")
      }
      #expect(await client.closingError == nil)
    }
  }

  @Test func `the deepest nesting that the protocol allows is accepted`() async throws {
    try await withConnections { _, service, client in
      let values: [DBusValue] = [
        Self.nested(63) { .variant($0) }, Self.nested(32) { .structure([$0]) },
        Self.nested(32) { .array(of: $0.signature, [$0]) }.unwrapped,
        Self.nested(8) { .variant(.structure([.properties(["a": $0])])) },
      ]
      for value in values {
        let arguments = [ExportedArgument("", value.signature)]
        await service.unexport("/test")
        try await service.export(
          ExportedMethod(name: "Echo", arguments: arguments, results: arguments) { $0.body })
        let echoed = try await client.call(service, "Echo", [value]).body
        #expect(echoed.map(\.signature) == [value.signature])
      }
    }
  }

  @Test func `invalid names never reach libdbus`() async throws {
    try await withConnections { _, service, client in
      let long = "a." + String(repeating: "b", count: 254)
      func call(_ destination: String?, _ interface: String, _ member: String) async -> BusError.Name? {
        await failure { () throws(BusError) in
          try await client.call(
            MethodCall(destination: destination, path: "/", interface: interface, member: member))
        }?.name
      }
      for name in ["", "x", "a..b", ".a.b", "a.b.", "a.1b", "a.b c", "a.é", "a.b\u{0}", "a-b.c", long] {
        #expect(await call(service.uniqueName, name, "M") == .invalidMessage, "\(name)")
      }
      for name in ["", "x", "a.b ", "a.1b", "a.b\u{0}", long] {
        #expect(await call(name, "a.b", "M") == .invalidMessage, "\(name)")
      }
      for name in ["", "1a", "a.b", "é", "a b", "a\u{0}", String(repeating: "m", count: 256)] {
        #expect(await call(service.uniqueName, "a.b", name) == .invalidMessage, "\(name)")
        let signal = await failure { () throws(BusError) in
          try await client.emitSignal(path: "/", interface: "a.b", member: name)
        }
        #expect(signal?.name == .invalidMessage)
      }
      let rules = [
        MatchRule(sender: "x"), MatchRule(interface: "a"), MatchRule(member: "a.b"),
        MatchRule(argument0: "\u{0}"),
        MatchRule(path: "/", pathNamespace: "/"), MatchRule(argument0: String(repeating: "a", count: 1024)),
        MatchRule(argument0Namespace: "a..b"),
      ]
      for rule in rules {
        let error = await failure { () throws(BusError) in _ = try await client.signals(matching: [rule]) }
        #expect(error?.name == .invalidMessage, "\(rule)")
      }
      #expect(await client.closingError == nil)
    }
  }

  @Test(arguments: [
    "", "x", "unix:", "tcp:\u{0}", "unix:path=/nowhere/at/all", "nonsense:a=b", "unix:path=%zz",
  ])
  func `an unusable address is an error`(address: String) async {
    let error = await failure { () throws(BusError) in _ = try await BusConnection.open(.address(address)) }
    #expect(error != nil)
  }
}
