import Foundation
import Testing

@testable import DBus
@testable import TestSupport

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct RoundTripTests {
  @Test func `all values return from the bus unchanged`() async throws {
    try await withConnections { _, service, client in
      var random = RandomValue(generator: SeededGenerator(seed: 2026))
      var types: Set<String> = []
      for number in 0..<400 {
        let body = random.body()
        let path = try #require(ObjectPath("/echo/n\(number)"))
        let arguments = body.enumerated().map { ExportedArgument("a\($0)", $1.signature) }
        try await service.export(
          ExportedMethod(name: "Echo", arguments: arguments, results: arguments) { $0.body }, at: path)
        let reply = try await client.call(service, "Echo", body, at: path)
        #expect(reply.body == body)
        for value in body { types.formUnion(value.signature.rawValue.map(String.init)) }
        if reply.body != body { break }
      }
      #expect(types.isSuperset(of: "ybnqiuxtdsogav({})".map(String.init)))
    }
  }

  @Test func `an empty array keeps the type of its elements`() async throws {
    try await withConnections { _, service, client in
      let body: [DBusValue] = [
        .array(of: "a{sv}", []), .bytes([]), .dictionary(key: "o", value: "a{sa{sv}}", [:]),
        .array(of: "(ii)", []),
        .properties([:]),
      ]
      let arguments = body.map { ExportedArgument("", $0.signature) }
      try await service.export(
        ExportedMethod(name: "Echo", arguments: arguments, results: arguments) { $0.body })
      #expect(try await client.call(service, "Echo", body).body == body)
    }
  }

  @Test func `three megabytes arrive in one message`() async throws {
    try await withConnections { _, service, client in
      let body: [DBusValue] = [.bytes((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })]
      try await service.export(
        ExportedMethod(name: "Make", results: [.init("a", "ay")]) { _ in body })
      #expect(try await client.call(service, "Make").body == body)
    }
  }
}
