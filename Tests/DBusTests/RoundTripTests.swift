import Foundation
import Testing

@testable import DBus
@testable import TestSupport

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct RoundTripTests {
  @Test func `whatever goes through the bus comes back as it was`() async throws {
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

  @Test func `three megabytes go through at once`() async throws {
    try await withConnections { _, service, client in
      let body: [DBusValue] = [.bytes((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })]
      try await service.export(
        ExportedMethod(name: "Echo", arguments: [.init("a", "ay")], results: [.init("a", "ay")]) { $0.body })
      #expect(try await client.call(service, "Echo", body).body == body)
    }
  }

  @Test func `a descriptor is passed, read through and closed`() async throws {
    try await withConnections { _, service, client in
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data("beat".utf8))
      try pipe.fileHandleForWriting.close()
      let own = try BusFileDescriptor(duplicating: pipe.fileHandleForReading.fileDescriptor)
      try await service.export(
        ExportedMethod(name: "Open", results: [.init("fd", "h")]) { _ in [.fileDescriptor(own)] })
      var passed = try await client.call(service, "Open").body.first?.asFileDescriptor
      let number = try #require(passed?.rawValue)
      #expect(number != own.rawValue)
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
      var bytes = [UInt8](repeating: 0, count: 16)
      #expect(read(number, &bytes, 16) == 4)
      #expect(String(decoding: bytes.prefix(4), as: UTF8.self) == "beat")
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      passed = nil
      // The number may be somebody else's by now, the pipe is not.
      #expect(
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) != target)
    }
  }
}
