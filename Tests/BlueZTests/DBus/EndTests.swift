import Foundation
import Testing

@testable import DBus
@testable import TestSupport

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct EndTests {
  private let silent = ExportedMethod(name: "Silent") { _ in
    try? await Task.sleep(for: .seconds(3600))
    return []
  }

  @Test
  func
    `when the bus dies, calls fail, streams end after the received signals, and waiting callers get an error`()
    async throws
  {
    try await withConnections { bus, service, client in
      try await service.export(silent)
      let signals = try await client.signals(matching: [MatchRule(member: "Tick")])
      let fence = try await client.signals(matching: [MatchRule(member: "Tick")])
      try await service.emitSignal(path: "/", interface: "a.b", member: "Tick")
      for await _ in fence { break }
      async let gone: Void = client.waitUntilClosed()
      let names = await withTaskGroup(of: BusError.Name?.self) { group in
        for _ in 0..<32 {
          group.addTask {
            await failure { () throws(BusError) in try await client.call(service, "Silent", timeout: nil) }?
              .name
          }
        }
        #expect(await eventually { await service.handlers.count == 32 })
        bus.crash()
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(names == Array(repeating: .disconnected, count: 32))
      await gone
      var events = 0
      for await _ in signals { events += 1 }
      #expect(events == 1)
      #expect(await client.closingError?.name == .disconnected)
      #expect(await client.lossOfBus != nil)
      let later = await failure { () throws(BusError) in try await client.call(service, "Silent") }
      #expect(later?.name == .disconnected)
      let subscription = await failure { () throws(BusError) in _ = try await client.signals(matching: []) }
      #expect(subscription?.name == .disconnected)
      await service.waitUntilClosed()
      #expect(await service.handlers.isEmpty)
    }
  }

  @Test func `closing ends everything, can be repeated, and delivers what was sent before`() async throws {
    try await withConnections { bus, service, client in
      try await service.export(silent)
      let (cancellations, continuation) = AsyncStream.makeStream(of: Void.self)
      try await client.export(
        ExportedMethod(name: "Wait") { _ in
          try? await Task.sleep(for: .seconds(3600))
          if Task.isCancelled { continuation.yield() }
          return []
        })
      let ticks = try await service.signals(matching: [MatchRule(member: "Tick")])
      // Subscribe to a signal that no program emits. If the bus had to write a signal to the closed client,
      // the bus would discard what that client had sent before.
      let signals = try await client.signals(matching: [MatchRule(member: "Tock")])
      let call = Task {
        await failure { () throws(BusError) in try await client.call(service, "Silent", timeout: nil) }?.name
      }
      try await service.send(
        MethodCall(
          destination: client.uniqueName, path: "/test", interface: "org.example.Test", member: "Wait"))
      #expect(await eventually { await service.handlers.count == 1 })
      #expect(await eventually { await client.handlers.count == 1 })
      // Sends more than the socket buffers hold while the bus does not read. Closing writes the rest.
      bus.signal(SIGSTOP)
      for number in 1...800 {
        try await client.emitSignal(
          path: "/", interface: "a.b", member: "Tick",
          body: [.int32(Int32(number)), .bytes(.init(repeating: 0, count: 500))])
      }
      async let first: Void = client.close()
      bus.signal(SIGCONT)
      async let second: Void = client.close()
      _ = await (first, second)
      await client.close()
      #expect(await call.value == .disconnected)
      for await _ in cancellations { break }
      for await _ in signals {}
      #expect(await client.lossOfBus == nil)
      var last = 0
      for await case .signal(let signal) in ticks {
        #expect(signal.body[0].asInteger == last + 1)
        last += 1
        if last == 800 { break }
      }
      #expect(last == 800)
    }
  }

  @Test func `three hundred connections leave no descriptor behind`() async throws {
    try await withConnections { bus, service, _ in
      // Count only the descriptors of this bus, because other tests of the process open descriptors in the
      // meantime.
      for _ in 0..<300 {
        let connection = try await BusConnection.open(bus.address)
        let signals = try await connection.signals(matching: [MatchRule(sender: "org.example.Name")])
        await connection.close()
        withExtendedLifetime(signals) {}
      }
      // Only the service's and the client's connections are still open. The connections of the loop above are
      // closed.
      #expect(try Self.inodes(of: bus).count == 2)
      #expect(try Self.descriptors(of: bus) == 2)
      try await service.call(
        .init(
          destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus.Peer",
          member: "Ping"))
    }
  }

  @Test func `connections that fail leave no descriptor behind`() async throws {
    let rejecting = try RejectingBus()
    let folder = FileManager.default.temporaryDirectory.path
    for address in [
      rejecting.address, "unix:path=\(folder)/none", "unix:abstract=\(folder)/none",
      "unix:path=/nowhere/bus;unix:abstract=\(folder)/none;\(rejecting.address)",
    ] {
      for _ in 0..<50 {
        let error = await failure { () throws(BusError) in
          _ = try await BusConnection.open(.address(address))
        }
        #expect([.fileNotFound, .noServer, .authenticationFailed].contains(error?.name))
      }
    }
    // Wait, because other tests of this process may have an unconnected socket for a moment.
    #expect(await eventually { (try? Self.looseSockets()) == 0 })
    let path = String(rejecting.address.dropFirst("unix:path=".count))
    #expect(await eventually { (try? Self.sockets(at: path).count) == 0 })
  }

  /// The number of stream sockets of this process that are neither connected nor listening.
  private static func looseSockets() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.count {
      descriptor in
      func option(_ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(4)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
      }
      var address = sockaddr_un()
      var size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let isConnected = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) } == 0
      }
      return option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == Int32(SOCK_STREAM.rawValue)
        && option(SO_ACCEPTCONN) == 0 && !isConnected
    }
  }

  @Test func `a connection that is closed is freed`() async throws {
    let bus = try PrivateBus()
    weak var freed: BusConnection?
    do {
      let connection = try await BusConnection.open(bus.address)
      _ = try await connection.signals(matching: [MatchRule(member: "A")])
      freed = connection
      await connection.close()
    }
    #expect(await eventually { freed == nil })
  }

  @Test
  func `a bus that accepts but never replies is an error after a cancellation, and leaks no descriptor`()
    async throws
  {
    let bus = try PrivateBus()
    bus.signal(SIGSTOP)
    let address = bus.address
    let opening = Task { () -> BusError? in
      await failure { () throws(BusError) in _ = try await BusConnection.open(address) }
    }
    #expect(await eventually { (try? Self.descriptors(of: bus)) == 1 })
    opening.cancel()
    #expect(await opening.value?.name == .cancelled)
    bus.signal(SIGCONT)
    #expect(await eventually { (try? Self.descriptors(of: bus)) == 0 })
  }

  @Test func `an idle connection is not woken`() async throws {
    try await withConnections { _, service, client in
      // The reply of the bus arrives after all messages that the bus sent before it.
      for connection in [service, client] {
        _ = try await connection.call(
          .init(
            destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus.Peer",
            member: "Ping"))
      }
      let before = [await service.wakeUps, await client.wakeUps]
      // Wait a fixed time, because the test checks that no messages arrive.
      try await Task.sleep(for: .seconds(2))
      #expect([await service.wakeUps, await client.wakeUps] == before)
      #expect(before.allSatisfy { $0 > 0 })
    }
  }

  /// The number of descriptors of this process that are connected to the bus.
  private static func descriptors(of bus: PrivateBus) throws -> Int {
    try sockets(of: bus).count
  }

  /// Returns the inodes of the sockets that are connected to the bus. A duplicated descriptor has the same
  /// inode.
  private static func inodes(of bus: PrivateBus) throws -> Set<String> {
    Set(try sockets(of: bus))
  }

  private static func sockets(of bus: PrivateBus) throws -> [String] { try sockets(at: bus.socket) }

  private static func sockets(at path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
      guard let descriptor = Int32(name), peerPath(descriptor) == path else { return nil }
      return try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
    }
  }

  private static func peerPath(_ descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    return withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
